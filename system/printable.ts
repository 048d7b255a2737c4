/** Text that came from outside, made safe to print. Loads nothing, so that any command may use it. */

/**
 * What drives a terminal or hides in a text: names and comments come from other people. C0 and C1 controls; marks that turn the
 * direction of writing; line separators; characters that are not to be seen. Joiners and variation selectors stay where scripts and
 * emoji need them.
 */
const unprintable = new RegExp(
  [
    '[\\u0000-\\u001f\\u007f-\\u009f]',
    '[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]',
    '[\\u2028\\u2029\\ufff9-\\ufffb]',
    '[\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2065\\u206a-\\u206f\\u3164\\ufeff\\uffa0]',
    '[\\u{1d173}-\\u{1d17a}]',
    '(?<![\\u0080-\\u{10ffff}])[\\u200c\\u200d]',
    '(?<![0-9#*\\u0080-\\ufdff\\ufe10-\\u{dffff}])[\\ufe00-\\ufe0f]',
    // Flags of England, Scotland and Wales are a black flag and the letters of its name.
    '(?<!\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{0,6})[\\u{e0000}-\\u{e007f}]',
    '(?<!\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]',
  ].join('|'),
  'gu',
)

/** A text from outside, safe to print on a terminal: on one line, each character that is not to be printed shown as `\u{fffd}`. */
export const printable = (text: string): string => text.replace(unprintable, '\ufffd')

/** JSON with the same values, in which such characters are written as `\\u202e`: a terminal shows them, and does not act on them. */
export const printableJson = (json: string): string =>
  json.replace(unprintable, (found) =>
    found === '\n' ? found : Array.from({ length: found.length }, (_, at) => unicodeEscape(found.charCodeAt(at))).join(''),
  )

const unicodeEscape = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

/** The same for a text of several lines. */
export const printableLines = (text: string): string[] =>
  text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => printable(line.replaceAll('\t', '    ')))

/** The text without any of them. */
export const withoutHidden = (text: string): string => text.replace(unprintable, '')

/** Each of them by its number, `\u{202e}`: for who has to see what is there. */
export const spelledOut = (text: string): string =>
  text.replace(unprintable, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`)
