/**
 * Shows on the desktop what a person should know of while they look elsewhere: made from the events that editors get too. The log has it as
 * well, for who has no desktop, and for who looks later.
 */
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '../../client/client-error.ts'
import { printable } from '../../system/printable.ts'
import type { AgentEvent } from '../running/event-log.ts'
import type { Part } from '../running/supervisor.ts'
import type { Surroundings } from '../surroundings.ts'
import { type Notice, showNotice } from './desktop.ts'

/** What happens within this time is shown together. */
const togetherMs = 300
/** So many are shown one by one. */
const mostAtOnce = 3

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const nameOf = ({ path, file }: AgentEvent['data']): string => basename(text(path) || text(file))

function personOf(value: unknown): string {
  const { name, display_name } = (value ?? {}) as Record<string, unknown>
  return text(display_name) || text(name)
}

/** By event; undefined where nobody has to be told. */
export function noticeOf({ event, data }: AgentEvent): Notice | undefined {
  const said = text(data.message)
  switch (event) {
    case 'warning':
      return { title: data.kind === 'held' ? `${nameOf(data)} is checked out` : `${nameOf(data)} is out of date`, text: said }
    case 'auto_checkout':
      return { title: data.state === 'taken' ? 'Checked out' : 'Not checked out', text: said }
    case 'lock.ending':
      return { title: 'A check-out ends soon', text: said }
    case 'imported': {
      const files = Array.isArray(data.files) ? data.files.length : Number(data.files ?? 0)
      const from = personOf(data.sent_by)
      const by = from === '' ? '' : `, from ${from}`
      const why = text(data.note) === '' ? '.' : `: “${text(data.note)}”`
      return {
        title: 'Props have arrived',
        text: `${files === 1 ? '1 file' : `${files} files`} in ${text(data.project_key)}${by}${why}`,
      }
    }
    case 'sent':
      return { title: `${personOf(data.sender)} sent props to ${text(data.project_key)}`, text: said }
    case 'conflict':
      return data.state === 'asked'
        ? {
            title: 'Which version stays?',
            text: `An import would replace ${nameOf(data)}. Answer in the editor, or see \`ph agent conflicts\`.`,
          }
        : undefined
    default:
      return undefined
  }
}

/** What has arrived is in the log by its job. */
function writeDown({ event, data }: AgentEvent, { title, text: said }: Notice, log: Surroundings['log']): void {
  if (event === 'warning') log.warn(printable(`${text(data.path)}: ${said}`))
  else if (event !== 'imported') log.info(printable(`${title}: ${said}`))
}

/** `isOn`: whether the desktop shows them; a person may not want that. */
export function noticesPart({ events, log }: Pick<Surroundings, 'events' | 'log'>, { isOn }: { isOn: boolean }): Part {
  let isSaid = false
  const show = async (notice: Notice, signal: AbortSignal) => {
    try {
      await showNotice(notice, signal)
    } catch (error) {
      if (signal.aborted || isSaid) return
      isSaid = true
      const why = systemCode(error) === 'ENOENT' ? 'the program for them is not installed' : String(error)
      log.warn(`Desktop notices cannot be shown: ${why}. This is said once; \`ph agent logs\` and the editor say the same.`)
    }
  }
  return {
    name: 'notices',
    canPause: false,
    async run(signal, say) {
      if (!isOn) say('Switched off by PH_AGENT_NOTICES.')
      let waiting: Notice[] = []
      let showing: Promise<void> | undefined
      const showAll = async () => {
        await sleep(togetherMs, undefined, { signal }).catch(() => {})
        const now = waiting
        waiting = []
        showing = undefined
        for (const notice of signal.aborted ? [] : together(now)) await show(notice, signal)
      }
      for await (const event of events.follow({ since: undefined, projectKey: undefined, signal })) {
        const notice = noticeOf(event)
        if (!notice) continue
        writeDown(event, notice, log)
        if (!isOn) continue
        waiting.push(notice)
        showing ??= showAll()
      }
      await showing
    },
  }
}

/** Of many, the first ones and how many more there are. */
function together(notices: readonly Notice[]): Notice[] {
  const shown = notices.slice(0, mostAtOnce)
  const others = notices.length - shown.length
  if (others === 0) return shown
  return [...shown, { title: `${others} more`, text: 'See `ph status`.' }]
}
