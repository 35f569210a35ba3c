// Stands in for d3-selection, which d3-zoom and d3-drag import: they only ever select one element, to listen to it.
// Leaves a tenth out of the bundle (see esbuild.config.mjs).

type Listener = (this: unknown, event: Event, ...rest: unknown[]) => void;
interface Known {
  value: Listener;
  listener: (event: Event) => void;
  options: boolean | AddEventListenerOptions | undefined;
}

/** By "type.name", for each element: ours alone, whatever other copy of d3 is on the page. */
const heard = new WeakMap<EventTarget, Map<string, Known>>();

class One {
  constructor(readonly target: EventTarget | null) {}

  /** d3-zoom tells a selection from a transition by this. */
  selection(): this {
    return this;
  }

  interrupt(): this {
    return this;
  }

  /** No data is bound to anything here. */
  datum(): undefined {
    return undefined;
  }

  each(work: (this: EventTarget, ...rest: unknown[]) => void): this {
    if (this.target) work.call(this.target, undefined, 0, [this.target]);
    return this;
  }

  call(work: (one: One, ...rest: unknown[]) => void, ...rest: unknown[]): this {
    work(this, ...rest);
    return this;
  }

  filter(test: (this: EventTarget) => unknown): One {
    return this.target && test.call(this.target) ? this : new One(null);
  }

  property(name: string, make: (this: EventTarget) => unknown): this {
    return this.each(function () {
      Object.assign(this, { [name]: make.call(this) });
    });
  }

  style(name: string, value: string): this {
    return this.each(function () {
      (this as SVGElement).style.setProperty(name, value);
    });
  }

  /** "type.name", or several of them; ".name" for all types; null takes the listener away. */
  on(names: string): Listener | undefined;
  on(names: string, value: Listener | null, options?: Known["options"]): this;
  on(names: string, value?: Listener | null, options?: Known["options"]): unknown {
    const { target } = this;
    const known = (target && heard.get(target)) ?? new Map<string, Known>();
    if (value === undefined) return known.get(names)?.value;
    if (!target) return this;
    for (const name of names.split(" ")) {
      for (const [key, old] of known) {
        if (key !== name && !(name.startsWith(".") && key.endsWith(name))) continue;
        target.removeEventListener(typeOf(key), old.listener, old.options);
        known.delete(key);
      }
      if (!value) continue;
      const listener = (event: Event) => value.call(target, event, undefined);
      target.addEventListener(typeOf(name), listener, options);
      known.set(name, { value, listener, options });
    }
    heard.set(target, known);
    return this;
  }
}

const typeOf = (name: string) => name.slice(0, name.indexOf("."));

export function select(target: EventTarget): One {
  return new One(target);
}

/** Where a mouse or finger is, in the units of the element. */
export function pointer(
  event: MouseEvent | Touch,
  node = (event as MouseEvent).currentTarget as SVGGraphicsElement,
): [number, number] {
  const matrix = node.getScreenCTM?.();
  if (matrix) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [x, y];
  }
  const box = node.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}
