import { Button } from "./Button";

interface CloseButtonProps {
  label: string;
  /** The tooltip names Escape too. */
  byKey?: boolean;
  onClick: () => void;
}

export const CloseButton = ({ label, byKey = false, onClick }: CloseButtonProps) => (
  <Button
    class="imd-close"
    aria-label={label}
    title={byKey ? `${label} (Esc)` : undefined}
    onClick={onClick}
  >
    ×
  </Button>
);
