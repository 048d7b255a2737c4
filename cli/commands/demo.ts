/** `ph demo`: everything once, on this machine: a sample project, a server, a push, an edit, what the library shows, a pull. */
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { requireEntryId } from '../../client/entries/reference.ts'
import type { PullReport } from '../../client/pull/report.ts'
import type { PushReport } from '../../client/push/report.ts'
import { exits } from '../../contract/errors.ts'
import type { Lineage } from '../../contract/lineages.ts'
import { command, flag } from '../command.ts'
import { type Context, makeContext } from '../context.ts'
import { plainDocuments } from '../documents/printer.ts'
import { type Library, withLibrary } from '../library.ts'
import { failed } from '../refusal.ts'
import { count, duration, size } from '../terminal/amounts.ts'
import { showFramed, showGallery } from '../terminal/gallery.ts'
import type { Output } from '../terminal/output.ts'
import { fetchThumbnail } from '../terminal/pictures.ts'
import { wrap } from '../terminal/wrap.ts'
import { type DemoStage, setDemoStage } from './demo/stage.ts'

export const commands = [
  command({
    usage: 'demo',
    description:
      'Makes a small Unreal project, starts a server of its own with an embedded database, pushes the project, shows what the library then holds, pushes an edit as a new version and shows its history, and pulls a prop with all it needs into another project. It takes half a minute at most, needs no network, and removes what it made.',
    options: {
      keep: flag('--keep', 'keep the server running afterwards, to look around, until Ctrl-C'),
      noPictures: flag('--no-pictures', 'show no pictures'),
    },
    examples: [
      ['demo', 'watch it'],
      ['demo --keep', 'watch it, then use the library from another terminal'],
    ],
    async run(context, { keep, noPictures }) {
      const startedMs = context.now().getTime()
      introduce(context, keep)
      const stage = await setDemoStage(context.env)
      try {
        const shown = await new Demo(context, stage, !noPictures).play()
        const took_ms = context.now().getTime() - startedMs
        if (!keep) await stage.clear()
        const kept = keep ? { url: stage.url, key: stage.key, project: stage.project } : null
        context.out.result({ ...shown, took_ms, kept }, () => farewell(context, { stage, took_ms, keep }))
        if (keep && !context.signal.aborted) await once(context.signal, 'abort')
        return exits.done
      } finally {
        await stage.clear()
      }
    },
  }),
]

function introduce({ out }: Context, keep: boolean): void {
  const said = (text: string) => wrap(text, out.width)
  out.lines(() => [
    out.paint('bold', 'Prop House in half a minute'),
    ...said(
      `A small Unreal project, a library of its own, two pushes and a pull. All of it on this machine: nothing is sent anywhere, and ${keep ? 'Ctrl-C removes it' : 'nothing stays'}.`,
    ),
    '',
    ...said('Building a tavern at the edge of a forest, and a library to keep it in …').map((line) => out.paint('dim', line)),
  ])
}

/** The acts, in order. */
class Demo {
  readonly #context: Context
  readonly #stage: DemoStage
  readonly #pictures: boolean
  #act = 0

  constructor(context: Context, stage: DemoStage, pictures: boolean) {
    this.#context = context
    this.#stage = stage
    this.#pictures = pictures
  }

  async play() {
    const { sample, url, edited } = this.#stage
    const { packages, sources, sizeBytes } = sample
    this.#title('A project and a server')
    this.#say(`${count(packages, 'Unreal package')} and ${count(sources, 'source file')}, ${size(sizeBytes)}, on this disk.`)
    this.#say(`A server on ${url}, with a database of its own.`)
    this.#title('Push the Content folder')
    const first = await this.#ph<PushReport>(['push', 'Content'])
    this.#title('What the library holds now')
    const { entries, before } = await withLibrary(this.#inside(), (library) => this.#look(library))
    await this.#ph(['search', 'campfire', ...(this.#pictures ? [] : ['--no-pictures'])])
    this.#title('An artist repaints a prop, and pushes again')
    await this.#stage.edit()
    const second = await this.#ph<PushReport>(['push', 'Content'])
    await withLibrary(this.#inside(), (library) => this.#compare(library, before))
    const history = await this.#ph<Lineage>(['history', edited])
    this.#title('Another project needs a campfire')
    const { other, composed } = this.#stage
    this.#say(
      `${other.name}.uproject has nothing yet. A pull brings the prop with everything it needs, to where it was pushed from.`,
    )
    const pulled = await this.#ph<PullReport>(['pull', composed, '--project', other.name], other.folder)
    return { url, first_push: first, second_push: second, entries, edited, history, pull: pulled }
  }

  /** Shows a wall of pictures and counts kinds; gives the number of entries, and the picture of the prop before its edit. */
  async #look(library: Library) {
    const { entries } = await library.api.entries.list({ limit: 200 })
    await showGallery(this.#context, library, { entries, withPictures: this.#pictures })
    const kinds = [...Map.groupBy(entries, ({ entry_type }) => entry_type)].toSorted(([, a], [, b]) => b.length - a.length)
    this.#say(kinds.map(([kind, list]) => `${kind.replaceAll('_', ' ')} ${list.length}`).join(' · '))
    return { entries: entries.length, before: await this.#pictureOf(library) }
  }

  async #pictureOf(library: Library): Promise<Uint8Array | undefined> {
    return fetchThumbnail(library, await requireEntryId(library.api, this.#stage.edited))
  }

  /** Both versions of the prop, side by side. */
  async #compare(library: Library, before: Uint8Array | undefined) {
    if (!this.#pictures) return
    const after = await this.#pictureOf(library)
    await showFramed(this.#context, [
      { picture: before, caption: 'before' },
      { picture: after, caption: 'now' },
    ])
  }

  #title(text: string): void {
    const { out, signal } = this.#context
    signal.throwIfAborted()
    out.lines(() => ['', `${out.paint(['cyan', 'bold'], String(++this.#act))}  ${out.paint('bold', text)}`])
  }

  #say(text: string): void {
    const { out } = this.#context
    out.lines(() => wrap(text, Math.min(out.width, 100), '   '))
  }

  /** The same terminal, talking to the demo's server from the demo's project. */
  #inside(cwd = this.#stage.project): Context {
    const { env } = this.#stage
    const surroundings = { ...this.#context, env: { ...this.#context.env, ...env }, cwd }
    const documents = this.#context.out.json ? plainDocuments(surroundings) : undefined
    return makeContext(surroundings, { globals: {}, documents, run: this.#context.run })
  }

  /** Types a command line and runs it; with `--json` it runs in silence and gives its document. */
  async #ph<T>(args: readonly string[], folder?: string): Promise<T | undefined> {
    const { out, run } = this.#context
    const inside = this.#inside(folder)
    out.lines(() => ['', `${out.paint('dim', '$')} ${out.paint('cyan', `ph ${args.join(' ')}`)}`])
    if (!out.json) {
      const code = await run(args, inside)
      if (code !== exits.done) throw stumbled(args, code)
      return undefined
    }
    const document = new PassThrough()
    const chunks: Buffer[] = []
    document.on('data', (chunk: Buffer) => chunks.push(chunk))
    const code = await run([...args, '--json'], { ...inside, stdout: document })
    if (code !== exits.done) throw stumbled(args, code)
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as T
  }
}

const stumbled = (args: readonly string[], code: number) =>
  failed(
    'DEMO_STUMBLED',
    `\`ph ${args.join(' ')}\` ended with exit code ${code}.`,
    'See what it said above; PH_DEBUG=1 tells more.',
  )

interface Ending {
  stage: DemoStage
  took_ms: number
  keep: boolean
}

function farewell({ out }: Context, { stage, took_ms, keep }: Ending): string[] {
  const title = ['', out.paint('bold', 'Look further')]
  const took = `Done in ${duration(took_ms)}.`
  if (!keep)
    return [
      ...title,
      ...suggestions(out, [
        ['npm run demo -- --keep', 'the same, and then look around yourself'],
        ['npm link', 'put ph on the PATH'],
        ['ph server start --help', 'run a library of your own'],
        ['ph help push', 'push your own Content folder'],
        ['ph help pull', 'bring props into a project of yours'],
      ]),
      '',
      ...wrap(`${took} The server has ended, and its folder is removed.`, out.width),
    ]
  return [
    ...title,
    ...wrap(
      `The library keeps running until Ctrl-C, and the project lies in ${stage.project}. In another terminal:`,
      out.width,
      '   ',
    ),
    '',
    `   export PH_URL=${stage.url}`,
    `   export PH_API_KEY=${stage.key}`,
    ...suggestions(out, [
      ['ph search --type mesh', 'list the meshes'],
      [`ph show ${stage.edited}`, 'one prop, and what it needs'],
      [`ph history ${stage.edited}`, 'all its versions'],
      [`ph pull ${stage.edited} --project Castle --into Castle`, 'a copy of it, in a project'],
    ]),
    '',
    took,
  ]
}

/** Commands with their meaning: beside them, or below where there is no room. */
function suggestions({ paint, width }: Output, list: readonly (readonly [typed: string, meaning: string])[]): string[] {
  const column = Math.max(...list.map(([typed]) => typed.length)) + 2
  const isWide = list.every(([, meaning]) => 3 + column + meaning.length <= width)
  return list.flatMap(([typed, meaning]) =>
    isWide ? [`   ${paint('cyan', typed.padEnd(column))}${meaning}`] : [`   ${paint('cyan', typed)}`, `     ${meaning}`],
  )
}
