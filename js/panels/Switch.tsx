import { Button } from "../ui/Button";

interface SwitchProps {
  /** By choice: what is written on it, and what it means. */
  choices: readonly { name: string; title?: string }[];
  chosen: number;
  onChoose: (place: number) => void;
}

/** A row of buttons, one of which is pressed. */
export function Switch({ choices, chosen, onChoose }: SwitchProps) {
  return (
    <div class="imd-techniques">
      {choices.map(({ name, title }, i) => (
        <Button key={i} aria-pressed={i === chosen} title={title} onClick={() => onChoose(i)}>
          {name}
        </Button>
      ))}
    </div>
  );
}
