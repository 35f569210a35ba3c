// Numbers as text.

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const ROUGH = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const ROUGH_COMPACT = new Intl.NumberFormat("en-US", {
  notation: "compact",
  maximumSignificantDigits: 3,
});

/** A mean, to three digits: "0.312", "310k". */
export function rough(value: number): string {
  return Math.abs(value) < 10_000
    ? ROUGH.format(value)
    : ROUGH_COMPACT.format(value).replace("K", "k").replace("B", "bn");
}

/** Decimals of numbers of one scale: so many that the largest has two digits. */
export const decimalsOn = (largest: number): number =>
  largest > 0 ? Math.max(0, Math.min(8, 1 - Math.floor(Math.log10(largest)))) : 0;

/** How to write numbers with so many decimals and their signs; one that is rounded to 0 has none. */
export function signedTo(decimals: number): (value: number) => string {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const format = new Intl.NumberFormat("en-US", { ...digits, signDisplay: "exceptZero" });
  return (value) => format.format(value).replace("-", "−");
}

/** How to write numbers of one scale, with their signs: two digits of the largest. */
export const signedOn = (largest: number) => signedTo(decimalsOn(largest));

/** How to write the standard errors of numbers with so many decimals: with one more. */
export function errorTo(decimals: number): (value: number) => string {
  const write = signedTo(Math.min(decimals + 1, 8));
  return (value) => write(value).replace("+", "").replace(/^/, "±");
}

export const errorOn = (largest: number) => errorTo(decimalsOn(largest));

/** The ends of a scale, to two digits of the larger one: "0.00 to 0.60". */
export function scaleText([low, high]: readonly [number, number]): string {
  const write = signedOn(Math.max(Math.abs(low), Math.abs(high)));
  return `${write(low)} to ${write(high)}`.replaceAll("+", "");
}

export function count(value: number): string {
  return WHOLE.format(value);
}

/** A count, or a sum of weights: those need not be whole. */
export function amount(value: number): string {
  return (value < 100 ? TENTHS : WHOLE).format(value);
}

/** For places that hold five characters; the exact number belongs in the title beside it. */
export function shortCount(value: number): string {
  return value < 10_000 ? WHOLE.format(value) : COMPACT.format(value);
}

/** A share is never rounded to 0 % or 100 %: one row in a thousand may be what the user looks for. */
export function percent(share: number | null): string {
  if (share === null || !Number.isFinite(share)) return "–";
  const whole = Math.round(share * 100);
  if (whole === 0 && share > 0) return "<1\u00a0%";
  if (whole === 100 && share < 1) return ">99\u00a0%";
  return `${whole}\u00a0%`;
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Intervals that are wider than this are written beside their rate. */
export const WIDE = 0.1;

type Interval = readonly [number, number];

/** The ends of a 95 % interval of a rate, "19 to 81 %"; null if nothing is known of the rate. */
export function intervalText([low, high]: Interval): string | null {
  if (low === 0 && high === 1) return null;
  return `${Math.round(100 * low)} to ${Math.round(100 * high)}\u00a0%`;
}

/** The ends of an interval that is wide enough to be written beside its rate. */
export function wideInterval(interval: Interval): string | null {
  return interval[1] - interval[0] > WIDE ? intervalText(interval) : null;
}

/** A sentence about an interval, after the sentence about its rate. */
export function intervalSentence(interval: Interval): string {
  const ends = intervalText(interval);
  return ends ? `95\u00a0% interval: ${ends}` : "Too few independent rows for an interval";
}
