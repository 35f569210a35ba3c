// What is asked of the kernel: how far it is, with a button to cancel it, or what went wrong.

import { CANCELLED } from "../host/requests";
import type { Work as AnyWork } from "../protocol/types";
import { useDiff } from "../state/context";
import { isPage } from "../state/useExplain";
import type { Query } from "../state/useQuery";
import { count } from "../text/format";
import { Button, TextButton } from "../ui/Button";
import { ErrorBox } from "../ui/ErrorBox";

interface WorkProps<W extends AnyWork> {
  query: Query<W>;
  name: string;
  /** What the kernel is doing. */
  doing?: string;
}

export function Work<W extends AnyWork>({ query, name, doing }: WorkProps<W>) {
  const { state, view } = useDiff();
  const { busy, progress, error } = query;
  // the panel gives the reason already
  if (state.kernel.unavailable !== null) return null;
  // a page answers the same every time
  if (error !== null && isPage(view)) return <p class="imd-empty">{error}</p>;
  if (error !== null && error !== CANCELLED)
    return (
      <ErrorBox id={`imd-${name}-error`} error={error}>
        <Button onClick={query.retry}>Try again</Button>
      </ErrorBox>
    );
  const far = progress && `: part ${count(progress.done)} of ${count(progress.total)}`;
  return (
    <p class="imd-empty" role="status" data-testid={`imd-${name}-status`}>
      {busy && (
        <>
          {state.kernel.busy
            ? "The kernel is busy; waiting for it. "
            : `${doing ?? "Evaluating the models"}${far ?? "…"} `}
          <TextButton onClick={query.cancel}>Cancel</TextButton>
        </>
      )}
      {error === CANCELLED && (
        <>
          Cancelled. <TextButton onClick={query.retry}>Try again</TextButton>
        </>
      )}
    </p>
  );
}
