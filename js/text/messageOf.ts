// Whatever was thrown, as an error and as its text.

export const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

export const messageOf = (thrown: unknown): string => toError(thrown).message;
