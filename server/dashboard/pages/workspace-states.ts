/** The states of a workspace in plain words: what works, what does not, who can change it (contract-gaps 2). */

export interface StateWords {
  tone: 'good' | 'warn' | 'bad'
  name: string
  words: string
  next?: string
}

const whoRuns = 'The person who runs this server can change that.'

const active: StateWords = { tone: 'good', name: '✓ active', words: 'Everything works: looking, pulling, pushing, changing.' }

const states: Record<string, StateWords> = {
  active,
  read_only: {
    tone: 'warn',
    name: '⚠ read only',
    words: 'Looking and pulling work. Nothing can be pushed or changed.',
    next: whoRuns,
  },
  ingest_blocked: {
    tone: 'warn',
    name: '⚠ takes no new files',
    words: 'Looking, pulling, comments and other changes work. New files are refused.',
    next: whoRuns,
  },
  suspended: {
    tone: 'bad',
    name: '✕ suspended',
    words: 'Programs are refused, reading and writing. These pages work, and nothing that is stored is lost.',
    next: whoRuns,
  },
  preparing: {
    tone: 'warn',
    name: '⚠ being prepared',
    words: 'The library is not there yet, so programs are refused for now. These pages work.',
    next: 'Come back a little later.',
  },
  starting: {
    tone: 'warn',
    name: '⚠ starting',
    words: 'Looking and pulling work. Changes are refused for a moment; programs wait and try again by themselves.',
  },
}

const full: StateWords = {
  tone: 'warn',
  name: '⚠ full',
  words: 'The storage is full: new files are refused. Looking, pulling, comments and other changes work.',
  next: 'The person who runs this server can raise the limit.',
}

interface Standing {
  state: string
  storedBytes: number
  /** Null: no limit. */
  limitBytes: number | null
}

/** A workspace that has reached its limit takes no new files, whatever its state says. */
export function wordsOf({ state, storedBytes, limitBytes }: Standing): StateWords {
  if (state === 'active' && limitBytes !== null && storedBytes >= limitBytes) return full
  return states[state] ?? active
}

/** What is not as usual, for the overview. */
export function troubleOf(standing: Standing): string | undefined {
  const { tone, words } = wordsOf(standing)
  return tone === 'good' ? undefined : words
}
