import type { JSX } from "preact";
import "./Button.css";

type ButtonProps = JSX.IntrinsicElements["button"];

/** A button that submits nothing: a notebook or a page may hold the widget inside a form. */
export function Button(props: ButtonProps) {
  return <button type="button" {...props} />;
}

/** A button that looks like a link in a sentence. */
export function TextButton(props: ButtonProps) {
  return <Button class="imd-text-button" {...props} />;
}
