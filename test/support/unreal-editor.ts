/** An Unreal editor with the plugin in it: CPython, a recording double of `unreal`, and a project. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { root } from '../house/project.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const pluginFolder = join(root, 'integrations/unreal/PropHouse')
const python = join(pluginFolder, 'Content/Python')
/** Editors bring one of their own: 3.9 until 5.3, 3.11 since. */
export const pythonProgram = process.env.PH_PYTHON || 'python3'
const double = join(import.meta.dirname, 'unreal-editor')

interface Call {
  name: string
  args: string[]
  /** It came from the game thread. */
  game: boolean
}

export interface Played {
  calls: Call[]
  menus: Record<string, Record<string, string>>
  /** Notifications that are shown. */
  notices: string[]
}

export interface UnrealEditor {
  /** The folder of the project. */
  project: string
  /** Makes a file of a package. */
  save(name: string): string
  /** What the editor holds from now on; see `state` of the double. */
  set(state: Record<string, unknown>): Promise<Played>
  click(menu: string, label?: string): Promise<Played>
  /** What happened so far. */
  look(): Promise<Played>
  /** Ends as an editor does that is closed. */
  quit(): Promise<Played>
}

/** Ended with the test. `state`: the state folder in which the agent's note is looked for. */
export function startUnrealEditor(state: string, name = 'Tavern'): UnrealEditor {
  const project = join(temporaryFolder(), name)
  mkdirSync(join(project, 'Content'), { recursive: true })
  writeFileSync(join(project, `${name}.uproject`), '{"EngineAssociation": "5.4"}')
  const env = {
    ...process.env,
    PLAY_PROJECT: join(project, `${name}.uproject`),
    PH_STATE_DIR: state,
    PYTHONPATH: `${double}:${python}`,
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const child = spawn(pythonProgram, [join(double, 'play.py'), join(python, 'init_unreal.py')], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  })
  const order = async (what: object): Promise<Played> => {
    child.stdin.write(`${JSON.stringify(what)}\n`)
    const { done, value } = await answers.next()
    if (done) throw new Error(`The editor ended: ${said}`)
    return JSON.parse(value)
  }
  return {
    project,
    save(name) {
      const file = join(project, 'Content', `${name.replace('/Game/', '')}.uasset`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, name)
      return file
    },
    set: (state) => order({ do: 'set', state }),
    click: (menu, label) => order({ do: 'click', menu, label }),
    look: () => order({ do: 'look' }),
    async quit() {
      const ended = once(child, 'close')
      const played = await order({ do: 'quit' })
      await ended
      return played
    },
  }
}

export const textsOf = ({ calls }: Played, name: string): string[] =>
  calls.filter((call) => call.name.endsWith(name)).map(({ args }) => args.join(' '))
