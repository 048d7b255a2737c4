/** Names that are made, not given: after folders and files, whose names may be longer than a name may be. And when two names are one. */

/** As much of a name as a limit leaves, in characters that people count: Unicode code points. */
export const cutToLimit = (name: string, most: number): string => (name.length <= most ? name : [...name].slice(0, most).join(''))

/** Equal for names that people and most file systems take for one: whatever their letters' case, and however accents are written. */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase()
