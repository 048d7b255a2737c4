/** How files stand, in sentences for people. */
import { basename } from 'node:path'
import { deletedBy } from '../../client/entries/deletion.ts'
import { inItsPlace, isOfOther, whoseProp } from '../../client/entries/whose-prop.ts'
import { mineCommand, theirsCommand } from '../../client/latest/ways-out.ts'
import type { FileLock, StatusFile } from '../../client/status/report.ts'
import type { FileReason } from '../../contract/agent-files.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'

export interface Place {
  /** Absolute. */
  path: string
  projectKey: string
}

/** `2026-11-26 14:05` by the clock of this machine. */
export function moment(timestamp: string): string {
  const at = new Date(timestamp)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}

export const nameOf = (path: string): string => printable(basename(path))

/** A command about a file, to be copied. */
const about = (command: string, path: string): string => `ph ${command} ${shellWord(path)}`

const bring = ({ entry_id, face_origin_path }: StatusFile, { projectKey }: Place): string | null => {
  if (entry_id === null) return null
  return face_origin_path === null
    ? `ph download ${entry_id} --with-deps --to <folder>`
    : `ph pull ${entry_id} --project ${shellWord(projectKey)}`
}

/** Why a file is not as the library has it, by its state alone; of another project's prop with both projects. */
export function stateReason(file: StatusFile, place: Place): FileReason {
  const reason = plainReason(file, place)
  const { projectKey } = place
  if (file.state === 'untracked' || !isOfOther(file, projectKey)) return reason
  return { ...reason, message: `${reason.message} It is ${printable(whoseProp(file))}; this project is ${projectKey}.` }
}

function plainReason(file: StatusFile, place: Place): FileReason {
  const name = nameOf(place.path)
  const other = file.reverted_to ?? file.undone
  if (other)
    return {
      kind: 'earlier',
      message: `${name} is ${other.name}, which is not the current version: a push has nothing to send.`,
      command: other.restore,
    }
  const again = bring(file, place)
  switch (file.state) {
    case 'modified': {
      const back = again === null ? '' : ` To have the library’s version back instead: \`${again} --on-conflict overwrite\`.`
      return { kind: 'modified', message: `${name} was modified here.${back}`, command: about('push', place.path) }
    }
    case 'outdated':
      return {
        kind: 'outdated',
        message: `${name} is outdated: the library has another current version, and it was not modified here.`,
        command: again,
      }
    case 'diverged':
      return {
        kind: 'diverged',
        message: `${name} has diverged: it was modified here, and the library has another current version. The command takes the library’s version, with yours as a backup. To keep yours, which the next push makes the next version: \`${mineCommand(place.path)}\`.`,
        command: theirsCommand(place.path),
      }
    case 'missing':
      return { kind: 'missing', message: `${name} was here, the library has it, and it is gone from the disk.`, command: again }
    case 'untracked': {
      const there = file.known_by === 'path' ? `: ${printable(inItsPlace(file, place.projectKey))}` : ''
      const message = `The library does not have ${name}${there}.`
      return { kind: 'untracked', message, command: about('push', place.path) }
    }
    case 'moved':
      return {
        kind: 'moved',
        message: `${name} was moved here, and the library knows it at another path.`,
        command: about('push', place.path),
      }
    case 'deleted': {
      const who = file.deleted ? ` ${printable(deletedBy(file.deleted))}` : ''
      const message = `${name} was deleted in the library${who}. Remove the file, or bring it back as a new prop.`
      return { kind: 'deleted', message, command: `${about('push', place.path)} --held new` }
    }
    case 'redirector': {
      const where = file.redirects_to ? ` to ${printable(file.redirects_to)}` : ''
      return {
        kind: 'redirector',
        message: `${name} is a redirector${where}, which a rename left behind. It is no prop.`,
        command: null,
      }
    }
    case 'current':
      return { kind: 'current', message: `${name} is the library’s current version.`, command: null }
  }
}

/** Who has it, since when, until when and why, and what to do. */
export function lockReason({ lock, mine }: FileLock, isEdited: boolean, { path }: Place): FileReason {
  const note = lock.note?.trim() ? `, for: ${printable(lock.note.replaceAll(/\s+/g, ' ').trim())}` : ''
  const time = `since ${moment(lock.created_at)}, until ${moment(lock.expires_at)}${note}`
  if (mine) {
    const end = isEdited ? 'Checking in pushes it and gives it back.' : 'Releasing gives it back.'
    const command = about(isEdited ? 'checkin' : 'release', path)
    return { kind: 'mine', message: `You have ${nameOf(path)} checked out ${time}. ${end}`, command }
  }
  const who = printable(lock.holder.display_name || lock.holder.name)
  return {
    kind: 'held',
    message: lock.holder_left
      ? `${who} has left the workspace with ${nameOf(path)} checked out ${time}. Until then the library takes no version of it from you: ask an owner or admin of the workspace to release it.`
      : `${who} has ${nameOf(path)} checked out ${time}. Until then the library takes no version of it from you: ask ${who} to check it in or to release it.`,
    command: null,
  }
}

export const freeReason = (path: string): FileReason => ({
  kind: 'free',
  message: `Nobody has ${nameOf(path)} checked out. Check it out before you edit it, so that nobody else does meanwhile.`,
  command: about('checkout', path),
})
