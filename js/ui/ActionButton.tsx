import type { ComponentChildren } from "preact";
import { Button } from "./Button";

interface ActionButtonProps {
  id: string;
  label?: string;
  /** Why it cannot be pressed now. */
  disabledReason: string | null;
  busy: boolean;
  title: string;
  onClick: () => void;
  /** Called when the mouse or the focus comes (true) and goes (false). */
  onHover?: (on: boolean) => void;
  children: ComponentChildren;
}

/** A button that can be disabled for a reason. It does not use `disabled`, which would take the focus away. */
export function ActionButton({
  id,
  label,
  disabledReason,
  busy,
  title,
  onClick,
  onHover,
  children,
}: ActionButtonProps) {
  return (
    <Button
      data-testid={id}
      aria-label={label}
      aria-disabled={disabledReason !== null}
      aria-busy={busy}
      title={disabledReason ?? title}
      onClick={() => disabledReason === null && onClick()}
      onMouseEnter={() => onHover?.(true)}
      onMouseLeave={() => onHover?.(false)}
      onFocus={() => onHover?.(true)}
      onBlur={() => onHover?.(false)}
    >
      {children}
    </Button>
  );
}
