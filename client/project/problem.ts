/** What a push names instead of passing over it in silence: one table of kinds, with what to do about each. */

/**
 * `failed`: should have been pushed and was not. `left-out`: not pushed, on purpose. `warning`: pushed, and something is wrong or
 * missing. `note`: pushed, and good to know.
 */
export type ProblemWeight = 'failed' | 'left-out' | 'warning' | 'note'

type ProblemRow = readonly [weight: ProblemWeight, next: string]

export const problemKinds = {
  'unreadable-folder': ['failed', 'Fix the permissions of the folder, then push again.'],
  'unreadable-file': ['failed', 'Fix the permissions of the file or close the program that holds it, then push again.'],
  'changed-while-read': ['failed', 'Wait until it is saved completely, then push again.'],
  vanished: ['failed', 'Push again if it should be there.'],
  'dead-link': ['failed', 'Fix or remove the symbolic link.'],
  'link-loop': ['left-out', 'The files were read at their own path; remove the link if it is not needed.'],
  'special-file': ['left-out', 'Only ordinary files can be pushed.'],
  'git-lfs-pointer': ['failed', 'Run `git lfs pull`, then push again.'],
  'not-a-package': ['failed', 'Restore the file from its source, or remove it.'],
  damaged: ['failed', 'Open and save it in the editor, or restore it from its source, then push again.'],
  'file-too-large': ['failed', 'The library takes no such file; leave it out with a line in .phignore.'],
  sidecar: ['left-out', 'These belong to cooked packages; push the uncooked project instead.'],
  'unknown-kind': ['left-out', 'Push them as plain files with --all, or list them in .phignore.'],
  executable: [
    'left-out',
    'The library takes no programs and scripts; keep them in version control with the code of the project.',
  ],
  'ignored-folder': ['left-out', 'To push it anyway, name it on the command line or add a line like `!Saved/` to .phignore.'],
  'unused-companion': ['left-out', 'No model that was pushed references it.'],
  undescribed: ['note', 'It is kept as a plain file; what it holds is not known to the library.'],
  cooked: ['warning', 'Push the uncooked project if you have it: cooked packages cannot be opened in the editor.'],
  'reader-warning': ['warning', 'Open and save it in the editor if something is missing in the library.'],
  'name-contradicts-folder': ['warning', 'Move it within the editor, so that its name and its folder agree again.'],
  unplaced: ['warning', 'Push from inside its project, so that its place is known; without one it cannot be pulled.'],
  'name-not-allowed': [
    'warning',
    'Rename it in the editor to letters a-z, digits, _ and -; until then no pull brings it, and what needs it comes without it.',
  ],
  'name-not-on-windows': [
    'warning',
    'Rename these: Windows cannot have them. A pull leaves them out on every system, a download on Windows.',
  ],
  'plugin-package': ['note', 'A pull brings these into projects that have the plugin.'],
  'plugin-reference': ['note', 'A project that pulls these needs the plugin.'],
  'same-bytes': ['note', 'The library keeps the bytes once, as one prop. To have two, change one of them and push again.'],
  'other-name': ['note', 'The library keeps bytes once. To have a prop of its own, change the file and push again.'],
  reverted: ['warning', 'To make the earlier version current again, use `ph restore`.'],
  'path-claimed-twice': [
    'warning',
    'It is kept without a place. Give it a name of its own: open it in the editor and save it there.',
  ],
  redirector: ['left-out', 'Fix up redirectors in the editor once everything is saved, so that they are removed.'],
  'reference-through-redirector': ['note', 'Fix up redirectors in the editor (right-click the folder), save, and push again.'],
  'missing-dependency': ['warning', 'Push or restore these packages, or fix the references in the editor.'],
  'missing-soft-reference': [
    'warning',
    'Push or restore these packages, or fix the references in the editor if they are still needed.',
  ],
  'unpushed-dependency': ['warning', 'Push these as well, so that a pull brings everything.'],
  'too-many-references': ['warning', 'The library takes at most 10,000 dependencies of one file; the rest was left out.'],
  'level-without-file': ['warning', 'These belong to a level that is not here; push the level as well.'],
  'long-folder': [
    'note',
    'Folders whose long names begin alike become one pack or category. Give them shorter names in the editor, or name the pack with --pack.',
  ],
  'dependency-not-pushed': ['warning', 'Fix the problem of the file that it needs, then push again.'],
  'refused-by-library': ['failed', 'Fix what the library names, then push again.'],
  'upload-failed': ['failed', 'Push again; what the library has already is not sent again.'],
  'stopped-on-the-way': [
    'failed',
    'Ask who runs the proxy to let it through (nginx: `client_max_body_size`), then push again; what the library has already is not sent again.',
  ],
  'thumbnail-failed': ['warning', 'The next push tries again.'],
} as const satisfies Record<string, ProblemRow>

export type ProblemKind = keyof typeof problemKinds

/** `files` are paths below the project's root; `message` is a whole sentence about them. */
export interface Problem {
  kind: ProblemKind
  weight: ProblemWeight
  files: string[]
  message: string
  next: string
  /** What it is about when that is no file: a package, a plugin. */
  subject?: string
}

/** A sentence about files; `next` replaces the advice of the table where more is known. */
export type Said = string | { message: string; next?: string | undefined; subject?: string | undefined }

/** Names something about files. */
export function problem(kind: ProblemKind, files: string | string[], said: Said): Problem {
  const [weight, usual] = problemKinds[kind]
  const { message, next = usual, subject } = typeof said === 'string' ? { message: said } : said
  return { kind, weight, files: [files].flat(), message, next, ...(subject === undefined ? {} : { subject }) }
}
