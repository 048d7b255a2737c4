/** `ph diff`: two versions of a prop side by side, or a file here and the version that it was made from. */
import type { ComparedSet } from '../../client/compare/actors.ts'
import type { ComparedVersion } from '../../client/compare/compare.ts'
import type { LocalFile } from '../../client/compare/local-file.ts'
import type { Choice, Compared } from '../../client/compare/sides.ts'
import { versionName } from '../../client/entries/current-version.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import { command, flag, value } from '../command.ts'
import { requireWire } from '../connection.ts'
import type { Context } from '../context.ts'
import { actorSection, type ComparisonLook, comparisonLines, sideName } from '../entries/comparison-words.ts'
import { chooseVersion, noteLine, readVersionChoice } from '../entries/version-name.ts'
import { withLibrary } from '../library.ts'
import { age, number } from '../terminal/amounts.ts'
import { pictureTerms } from '../terminal/pictures.ts'
import { openDisplay } from '../terminal/progress-display.ts'
import { wrap, wrapAfter } from '../terminal/wrap.ts'
import { drawBoth } from './diff/pictures.ts'
import { pushModel } from './push/progress.ts'

export const commands = [
  command({
    usage: 'diff <prop>',
    description:
      'Of a file it says what you changed since it was pushed or pulled here; of a prop, what its current version changed. It compares measures, engine, size and direct dependencies, and shows both pictures: meshes from the same angle and at the same scale, textures at the same scale, sounds over the same time. + is new, - is gone, ~ is another version. Of a level it names the actors that came, changed and left, by their labels: where its own file is as it was, its newest set of actors is compared with the one before. What a file does not say of itself is not compared. With --json both sides are whole (from, to), comparison says what differs, and current which version is current, where neither of the two is.',
    arguments: { prop: 'a file of the project, or a prop by id, name or /Game path' },
    options: {
      from: value('--from <version>', 'compare this version: v2, current, or file for the file here', readChoice('--from')),
      to: value('--to <version>', 'with this one', readChoice('--to')),
      all: flag('--all', 'list every dependency that differs'),
      noPictures: flag('--no-pictures', 'show no pictures'),
    },
    terms: pictureTerms,
    examples: [
      ['diff Content/Props/SM_Barrel.uasset', 'what you changed in this file'],
      ['diff SM_Barrel', 'its current version and the one before'],
      ['diff SM_Barrel --from v1 --to v3', 'any two of its versions, as ph history lists them'],
      ['diff SM_Barrel --from file --to current', 'what a pull would change here'],
      ['diff SM_Barrel --json | jq ".comparison.changes[]"', 'the same values for a script'],
    ],
    async run(context, { prop: reference, from, to, all, noPictures }) {
      const wire = await requireWire(context)
      await withLibrary(context, async (library) => {
        const { compareNamed } = await import('../../client/compare/sides.ts')
        const display = openDisplay(context, pushModel)
        const naming = { wire, api: library.api, cwd: context.cwd, tell: display.tell, from, to }
        const compared = await compareNamed(reference, naming).finally(display.hide)
        const { out } = context
        out.lines(heading(compared, context))
        if (!noPictures && !compared.comparison.identical) await drawBoth(compared, { context, library })
        const look = { paint: out.paint, width: out.width, all }
        const lines = () => ['', ...differences(compared, look), ...remark(compared, context)]
        out.result(withoutPictures(compared), lines)
      })
      return undefined
    },
  }),
]

/** Where the level's own file is the same, its actors say what differs. */
function differences({ comparison, actors }: Compared, look: ComparisonLook): string[] {
  const lines = actors ? actorSection(actors, look) : []
  return comparison.identical && lines.length > 0 ? lines : [...comparisonLines(comparison, look), ...lines]
}

function readChoice(option: string) {
  return (given: string): Choice => {
    const word = given.toLowerCase()
    if (word === 'file' || word === 'current') return word
    const choice = readVersionChoice(given, option)
    return (versions, name) => chooseVersion(versions, choice, printable(name))
  }
}

/** Of a level with the set of its actors. */
const sideTitle = (side: ComparedVersion, set: ComparedSet | undefined): string =>
  `${sideName(side)}${set ? `, set ${number(set.number)}` : ''}`

function heading({ name, from, to, actors }: Compared, { out, now }: Context): string[] {
  const { paint, width } = out
  const [before, after] = [from, to].map((side, at) => sideTitle(side, at === 0 ? actors?.from_set : actors?.to_set))
  const title = `${paint('bold', printable(name))}  ${before} → ${after}`
  const sides = from.object_id !== null && from.object_id === to.object_id ? [to] : [from, to]
  return [...wrap(title, width), ...sides.flatMap((side) => wrapAfter(`${sideLabel(side)}  `, sideWords(side, now()), width))]
}

const sideLabel = (side: ComparedVersion): string => (side.file === null ? sideName(side) : 'here')

/** Who pushed it, when, and why; or which file it is. */
function sideWords({ file, pushed_by, pushed_at, push_note }: ComparedVersion, now: Date): string {
  if (file !== null) return printable(file)
  const by = pushed_by === null ? '' : ` by ${pushed_by}`
  const note = noteLine(push_note)
  return printable(`pushed ${pushed_at === null ? '' : age(pushed_at, now)}${by}${note === '' ? '' : `: ${note}`}`)
}

function remark({ current, name, entry_id, to }: Compared, { out }: Context): string[] {
  if (current === null) return []
  const command = `ph diff ${entry_id ?? shellWord(name)} --from ${sideName(to) === 'the file here' ? 'file' : sideName(to)} --to current`
  return ['', ...wrap(`${versionName(current)} is current by now: \`${command}\``, out.width)]
}

/** As JSON: values, and no ways to make pictures. */
function withoutPictures(compared: Compared) {
  const { picture: _from, path: _fromPath, ...from } = compared.from as LocalFile
  const { picture: _to, path: _toPath, ...to } = compared.to as LocalFile
  return { ...compared, from, to }
}
