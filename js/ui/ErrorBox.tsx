import type { ComponentChildren } from "preact";
import "./ErrorBox.css";

interface ErrorBoxProps {
  id: string;
  error: string;
  /** A button: to dismiss the error or to try again. */
  children: ComponentChildren;
}

export function ErrorBox({ id, error, children }: ErrorBoxProps) {
  return (
    <div class="imd-error" data-testid={id} role="alert">
      <span>{error}</span>
      {children}
    </div>
  );
}
