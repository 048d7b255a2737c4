/** What a person sets once: names, what each takes, and the variable of the environment that goes before it. */
import { readCacheSize } from '../content/cache-size.ts'
import { mostWaitSeconds } from './seconds.ts'

export interface Setting {
  name: string
  /** One of the environment with the same meaning. */
  variable: string
  meaning: string
  /** What it takes, as the end of a sentence. */
  takes: string
  /** The words that it takes, where these are all. */
  choices?: readonly string[]
  /** What holds when nobody set it; null where that is nothing. */
  usual: string | null
  /** The value as it is kept; undefined for one that it does not take. */
  read(text: string): string | undefined
  /** The variable for a value; undefined where that is the same as none. */
  asVariable(value: string): string | undefined
  /** The value that a variable stands for. */
  fromVariable(text: string): string
}

type Meant = Pick<Setting, 'name' | 'variable' | 'meaning'>
type Plain = Pick<Setting, 'takes' | 'usual' | 'read'>

const plain = (meant: Meant, { takes, usual, read }: Plain): Setting => ({
  ...meant,
  ...{ takes, usual, read },
  asVariable: (value) => value,
  fromVariable: (text) => text,
})

function among(meant: Meant, choices: readonly string[], usual: string): Setting {
  const takes = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
  const read = (text: string) => choices.find((choice) => choice === text.trim().toLowerCase())
  return { ...plain(meant, { takes, usual, read }), choices }
}

/** `isOff`: the variable switches it off by being there, as `PH_NO_MOTION` does. */
function onOff(meant: Meant, isOff = false): Setting {
  const setting = among(meant, ['on', 'off'], 'on')
  if (!isOff) return { ...setting, fromVariable: (text) => (['off', '0', 'false'].includes(text) ? 'off' : 'on') }
  return { ...setting, asVariable: (value) => (value === 'off' ? '1' : undefined), fromVariable: () => 'off' }
}

function seconds(meant: Meant, { most, usual }: { most: number; usual: string }): Setting {
  const read = (text: string) => {
    const number = /^\d{1,4}(\.\d{1,3})?$/.test(text.trim()) ? Number(text) : Number.NaN
    return number <= most ? String(number) : undefined
  }
  return plain(meant, { takes: `seconds from 0 to ${most}, such as ${usual}`, usual, read })
}

const mostText = 300

const line = (text: string): string | undefined =>
  text.trim() !== '' && text.length <= mostText && !/\p{Cc}/u.test(text) ? text.trim() : undefined

export const settings: readonly Setting[] = [
  plain(
    { name: 'project', variable: 'PH_PROJECT', meaning: 'the project that `ph send` sends to without --project' },
    { takes: 'the name of a project, as its .uproject file is named', usual: null, read: line },
  ),
  plain(
    {
      ...{ name: 'editor', variable: 'PH_EDITOR' },
      meaning: 'the editor for texts; before VISUAL and EDITOR, which hold where nothing is set here',
    },
    { takes: 'a program, with its arguments, such as "code --wait"', usual: null, read: line },
  ),
  {
    ...among(
      { name: 'pictures', variable: 'PH_PICTURES', meaning: 'how pictures are drawn in the terminal' },
      ['auto', 'kitty', 'iterm', 'sixel', 'blocks', 'off'],
      'auto',
    ),
    asVariable: (value) => (value === 'auto' ? undefined : value),
  },
  seconds(
    {
      ...{ name: 'pictures-wait', variable: 'PH_PICTURES_WAIT' },
      meaning: 'how many seconds `ph show` and `ph diff` wait for a picture that is to be drawn',
    },
    { most: mostWaitSeconds, usual: '4' },
  ),
  onOff({ name: 'motion', variable: 'PH_NO_MOTION', meaning: 'whether meshes turn by themselves' }, true),
  onOff({ name: 'previews', variable: 'PH_PREVIEWS', meaning: 'whether previews are made after a push' }),
  plain(
    { name: 'cache-size', variable: 'PH_CACHE_SIZE', meaning: 'how much the content cache keeps for all projects here' },
    { takes: 'a size, such as 20G or 500M', usual: '20G', read: (text) => (readCacheSize(text) ? line(text) : undefined) },
  ),
  onOff({
    ...{ name: 'notices', variable: 'PH_AGENT_NOTICES' },
    meaning: 'whether the desktop agent shows warnings and arrivals on the desktop; holds from its next start',
  }),
  onOff({ name: 'update-notice', variable: 'PH_NO_UPDATE_NOTICE', meaning: 'whether ph says that there is a newer one' }, true),
  seconds(
    { name: 'completion-wait', variable: 'PH_COMPLETION_WAIT', meaning: 'how many seconds Tab waits for names' },
    { most: mostWaitSeconds, usual: '0.4' },
  ),
]

export const settingNamed = (name: string): Setting | undefined => settings.find((one) => one.name === name.trim().toLowerCase())
