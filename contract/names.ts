/** Names that are made, not given: after folders and files, whose names may be longer than a name may be. */

/** As much of a name as a limit leaves, in characters that people count: Unicode code points. */
export const cutToLimit = (name: string, most: number): string => (name.length <= most ? name : [...name].slice(0, most).join(''))
