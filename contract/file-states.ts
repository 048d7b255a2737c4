/** How a file of a project stands to the library: one word each, wherever the state of a file is spoken of. */

export const fileStates = [
  /** It is the library's current version. */
  'current',
  /** Edited here, from the current version: a push makes it a new version. */
  'modified',
  /** Not edited here, and another version is current in the library: a pull brings that one. */
  'outdated',
  /** Edited here, and another version is current than the one that it was made from: someone has to choose. */
  'diverged',
  /** The library has no prop for it; or, where nothing says what it was made from, a prop with other bytes at its path. */
  'untracked',
  /** The library has it, and it is not on the disk; where all files are listed, it was pushed or pulled here before. */
  'missing',
  /** Its prop was pushed or pulled here at another path, which is empty or holds a redirector now: a push tells the library. */
  'moved',
  /** Its prop was deleted in the library, within a year. Edited here or not. */
  'deleted',
  /** A rename in the editor left it in the old place. It is no prop, and nothing is to be done about it. */
  'redirector',
] as const
export type FileState = (typeof fileStates)[number]

/** As the desktop agent says it. `pending`: it changes at this moment, or was not looked at yet. */
export const watchedFileStates = [...fileStates, 'pending'] as const
