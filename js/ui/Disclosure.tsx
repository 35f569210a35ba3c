import type { ComponentChildren } from "preact";
import { Button } from "./Button";
import "./Disclosure.css";

interface DisclosureProps {
  id: string;
  title: string;
  open: boolean;
  onToggle: () => void;
  children: ComponentChildren;
}

/** A heading that shows and hides what is below it. */
export function Disclosure({ id, title, open, onToggle, children }: DisclosureProps) {
  return (
    <section data-testid={id}>
      <h4>
        <Button class="imd-disclosure" aria-expanded={open} onClick={onToggle}>
          {title}
        </Button>
      </h4>
      {open && children}
    </section>
  );
}
