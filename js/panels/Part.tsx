import type { ComponentChildren } from "preact";
import { usePanelState } from "../state/usePanelState";
import { Button } from "../ui/Button";
import "./Part.css";

interface PartProps {
  id: string;
  title: string;
  children: ComponentChildren;
}

/** A part of a panel that comes on demand: what is below its heading is there, and asks, while it is open. */
export function Part({ id, title, children }: PartProps) {
  const [open, setOpen] = usePanelState(id, false);
  return (
    <section data-testid={id}>
      <h4>
        <Button class="imd-disclosure" aria-expanded={open} onClick={() => setOpen(!open)}>
          {title}
        </Button>
      </h4>
      {open && children}
    </section>
  );
}
