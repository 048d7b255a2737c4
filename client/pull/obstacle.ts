/** What keeps a pull from placing its files: one table of kinds, with what to do about each. Nothing is placed while one is there. */

export const obstacleKinds = {
  'not-allowed': 'Tell the administrator of the library which file this is; ph does not place such files.',
  'no-prop': 'Bring it into a folder outside of any project: `ph download <entry> --to <folder>`.',
  'in-the-way': 'Move what is there away, or pull to another folder with --root.',
  'leads-elsewhere': 'Replace the link by what it leads to, or pull to another folder with --root.',
  'path-too-long': 'Move the project to a shorter path, or pull to a shorter --root.',
  'read-only': 'Check the file out (`p4 edit`) or make it writable (`chmod u+w`), then pull again.',
  'folder-read-only': 'Ask for the right to write there, then pull again.',
  open: 'Close it there (save first what you want to keep), then pull again.',
  'disk-full': 'Free some space on that disk, then pull again; what was downloaded is kept.',
  'cache-full':
    'Free some space on that disk, or choose another one with PH_CACHE_DIR, then pull again; what was downloaded is kept.',
  damaged:
    'Pull again; if it stays so, the administrator of the library has to bring the file back from a backup of its storage.',
  missing:
    'Pull again; if it stays so, the administrator of the library has to bring the file back from a backup of its storage.',
  'project-gone': 'Put the project back where it was, or name its new folder with --into, then pull again.',
  unreadable: 'Fix its permissions or close the program that holds it, then pull again.',
  'not-placed': 'Fix the error that the system names, then pull again.',
} as const satisfies Record<string, string>

export type ObstacleKind = keyof typeof obstacleKinds

/** `file` is the path below the project's root, or what else is meant; `message` is a whole sentence about it. */
export interface Obstacle {
  kind: ObstacleKind
  file: string
  message: string
  next: string
}

export const obstacle = (kind: ObstacleKind, file: string, message: string): Obstacle => ({
  kind,
  file,
  message,
  next: obstacleKinds[kind],
})
