/** Collects what a plan finds about files, so that many files with one fault make one remark. */
import type { Refused } from '../../project/file-facts.ts'
import { allowedName } from '../../project/package-name.ts'
import { whyNotOnWindows } from '../../project/places/placeable.ts'
import { type Problem, type ProblemKind, problem } from '../../project/problem.ts'
import { type PushFile, pathOf, type SendableFile } from '../../project/project-file.ts'
import type { References } from './references.ts'

const kindOfRefusal: Partial<Record<Refused['reason'], ProblemKind>> = {
  'git-lfs-pointer': 'git-lfs-pointer',
  'not-this-format': 'not-a-package',
}

/** The library knows places under /Game only: of content of plugins it cannot be asked by path. */
const absence = (name: string): string =>
  /^\/game\//i.test(name) ? 'neither on this disk nor in the library' : 'not on this disk'

/** Whether only some systems, or no pull, can have its name. */
export const hasNameFault = (file: SendableFile): boolean =>
  file.naming.remark === 'not-allowed' || whyNotOnWindows(pathOf(file)) !== undefined

const mostNeeding = 3

/** Who else goes short. */
function neededWords(files: readonly string[]): string {
  if (files.length === 0) return ''
  const more = files.length > mostNeeding ? ` and ${files.length - mostNeeding} more` : ''
  return `; it is needed by ${files.slice(0, mostNeeding).join(', ')}${more}, which a pull brings without it`
}

/** A sentence, and what it is about when that is no file. */
interface Finding {
  message: string
  subject: string
}

/** Findings by kind and message: what is said of several files in the same words is said once. */
export class FindingList {
  readonly #found = new Map<string, { kind: ProblemKind; files: string[]; message: string; subject?: string | undefined }>()

  add(kind: ProblemKind, file: string, said: string | Finding): void {
    const { message, subject } = typeof said === 'string' ? { message: said, subject: undefined } : said
    const key = `${kind} ${message}`
    const known = this.#found.get(key)
    if (known) known.files.push(file)
    else this.#found.set(key, { kind, files: [file], message, subject })
  }

  problems(): Problem[] {
    return [...this.#found.values()].map(({ kind, files, message, subject }) => problem(kind, files, { message, subject }))
  }

  addRefusal(file: PushFile, { reason, message }: Refused): void {
    const kind = kindOfRefusal[reason] ?? 'damaged'
    if (kind === 'git-lfs-pointer') this.add(kind, pathOf(file), 'These are Git LFS pointers, not the files themselves.')
    else this.add(kind, pathOf(file), `${pathOf(file)}: ${message}`)
  }

  /** Remarks about a file that is pushed anyway. */
  addOddities(file: SendableFile): void {
    const { facts, naming } = file
    const path = pathOf(file)
    if (facts.kind !== 'package' && facts.undescribed !== null) this.add('undescribed', path, `${path}: ${facts.undescribed}`)
    if (facts.kind === 'package') {
      if (facts.cooked) this.add('cooked', path, 'Packages of a cooked game hold few facts.')
      for (const warning of facts.warnings) this.add('reader-warning', path, `${path}: ${warning}`)
    }
    this.#addNaming(file, naming)
  }

  #addNaming(file: SendableFile, { remark, packageName, folderName }: SendableFile['naming']): void {
    const path = pathOf(file)
    const isPackage = file.facts.kind === 'package'
    if (remark === 'contradicts')
      this.add('name-contradicts-folder', path, `${path} is ${packageName} by its header, but ${folderName} by its folder.`)
    if (remark === 'plugin') this.add('plugin-package', path, 'Content of a plugin has no place under /Game.')
    if (remark === 'unplaced' && isPackage)
      this.add('unplaced', path, 'It is not known where in a project these packages belong.')
  }

  /** Names that only some systems, or no pull, can have. `neededBy`: the files of this push that refer to the file. */
  addNameFaults(file: SendableFile, neededBy: readonly string[]): void {
    const { naming } = file
    const path = pathOf(file)
    if (naming.remark === 'not-allowed' && naming.packageName !== null) {
      const advice = `rename ${naming.packageName} to something like ${allowedName(naming.packageName)}`
      this.add('name-not-allowed', path, `${path}: ${advice}${neededWords(neededBy)}.`)
    }
    const fault = whyNotOnWindows(path)
    if (fault !== undefined) this.add('name-not-on-windows', path, `${path} ${fault}${neededWords(neededBy)}.`)
  }

  /** What a file references and does not get, each by its name. */
  addReferences(file: SendableFile, references: References): void {
    const path = pathOf(file)
    const add = (kind: ProblemKind, subject: string, message: string) => this.add(kind, path, { message, subject })
    for (const { from, to } of references.redirected)
      add('reference-through-redirector', from, `References to ${from} go through a redirector to ${to}.`)
    for (const name of references.missing) add('missing-dependency', name, `Missing dependency: ${name} is ${absence(name)}.`)
    for (const name of references.missingSoft)
      add('missing-soft-reference', name, `Missing soft reference: ${name} is ${absence(name)}.`)
    for (const other of references.unpushed)
      add('unpushed-dependency', other, `${other} is a dependency, and neither in this push nor in the library.`)
    for (const other of references.blocked)
      add('dependency-not-pushed', other, `${other} is a dependency, but could not be pushed itself.`)
    const plugins = new Set(references.plugins.map((name) => name.slice(1, name.indexOf('/', 1))))
    for (const plugin of plugins)
      add('plugin-reference', plugin, `Content of the plugin ${plugin} is referenced; it is noted with the version.`)
    for (const plugin of new Set(references.codePlugins))
      if (!plugins.has(plugin))
        add('plugin-reference', plugin, `Classes of the plugin ${plugin} are used; it is noted with the version.`)
    if (references.beyondLimit > 0)
      this.add('too-many-references', path, `${path} references ${references.beyondLimit} files more than the library takes.`)
  }
}
