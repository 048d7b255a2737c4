/** How the files of a prop here stand to its newest version: what `ph status` says of them (status/report.ts), for someone who is about to edit. */
import type { FileState } from '../../contract/file-states.ts'
import type { StatusFile } from '../status/report.ts'
import type { NamedProp } from './named-props.ts'

/** How the files of a prop stand to its current version. `missing`: none is here, or one is gone from the disk. */
export type Standing = Extract<FileState, 'current' | 'modified' | 'outdated' | 'diverged' | 'untracked' | 'missing'>

const worstFirst: readonly Standing[] = ['diverged', 'untracked', 'outdated', 'missing', 'modified', 'current']

/** Of several files of a prop the one that needs most attention counts. `face`: the content hash of the current version, where it is known better. */
export function standingOf({ files }: Pick<NamedProp, 'files'>, face?: string): Standing {
  const standings = new Set(files.map((file) => standingOfFile(file, face)))
  return worstFirst.find((standing) => standings.has(standing)) ?? 'missing'
}

function standingOfFile({ state, content_hash, face_content_hash }: StatusFile, face: string | undefined): Standing {
  const isOvertaken = face !== undefined && face !== face_content_hash && face !== content_hash
  switch (state) {
    case 'current':
      return isOvertaken ? 'outdated' : 'current'
    case 'modified':
    case 'moved':
      return isOvertaken ? 'diverged' : 'modified'
    case 'deleted':
      return content_hash === (face ?? face_content_hash) ? 'current' : 'untracked'
    case 'redirector':
      return 'outdated'
    default:
      return state
  }
}
