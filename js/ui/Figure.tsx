import "./Figure.css";

interface FigureProps {
  name: string;
  value: string;
  /** The counts behind the value. */
  detail?: string | undefined;
  /** The interval of the value, where it is wide. */
  range?: string | null;
  title: string;
  share?: number | null;
}

/** A number with its name, the counts behind it and, for a share, a meter; inside a `dl.imd-figures`. */
export function Figure({ name, value, detail, range, title, share }: FigureProps) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>
        {value}
        {detail && <small>{range ? `${detail},` : detail}</small>}
        {range && <small>{range}</small>}
      </dd>
      {share !== undefined && (
        <span class="imd-meter" aria-hidden="true">
          <i style={{ width: `${100 * Math.min(1, share ?? 0)}%` }} />
        </span>
      )}
    </div>
  );
}
