/** Words of command lines that `ph` prints for people to copy. */

/** A text as one word for a shell: quoted where a letter in it would mean something else. */
export const shellWord = (text: string): string => (/^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
