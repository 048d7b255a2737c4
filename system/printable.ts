/** Text that came from outside, made safe to print. Loads nothing, so that any command may use it. */

/** C0 and C1 controls and bidirectional overrides: names come from other people and must not drive the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A text from outside, safe to print on a terminal: on one line, each control character shown as `\u{fffd}`. */
export const printable = (text: string): string => text.replace(unprintable, '\ufffd')
