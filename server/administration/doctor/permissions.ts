/** A look at who may open what the server keeps: keys and passwords are hashed, but files, addresses and the control socket are not. */
import { existsSync, type Stats, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { type Finding, fault, fine, note, warning } from '../../../system/finding.ts'

const othersMay = 0o077

/** The data folder, as seen by this process. Windows has other rights than these. */
export function lookAtDataFolder(dir: string): Finding[] {
  const stat = statSync(dir, { throwIfNoEntry: false })
  if (!stat) return [note('data folder', `${dir} is not there yet; the first start makes it.`)]
  if (!stat.isDirectory()) return [fault('data folder', `${dir} is not a folder.`, 'Choose another with --data or PH_DATA.')]
  if (process.platform === 'win32') return [fine('data folder', `${dir} is there.`)]
  if (!isOwner(stat)) return [foreignFileIn(dir, stat)]
  return [
    (stat.mode & othersMay) === 0
      ? fine('data folder', `${dir} is open to ${userName()} alone.`)
      : warning('data folder', `Others on this machine may look into ${dir}.`, `chmod 700 ${dir}`),
  ]
}

export function lookAtProvisionFile(file: string | undefined): Finding[] {
  if (file === undefined || process.platform === 'win32' || !existsSync(file)) return []
  return (statSync(file).mode & othersMay) === 0
    ? [fine('provisioning', `${file} is open to its owner alone.`)]
    : [
        warning(
          'provisioning',
          `${file} may hold keys and passwords, and others on this machine may read it.`,
          `chmod 600 ${file}`,
        ),
      ]
}

/** Whether what is made in the folder now would belong to the one it belongs to. A folder that is not there belongs to nobody yet. */
export function isOwnerOf(dir: string): boolean {
  const stat = statSync(dir, { throwIfNoEntry: false })
  return !stat || isOwner(stat)
}

const isOwner = ({ uid }: Stats): boolean => process.getuid === undefined || uid === process.getuid()

export function foreignFileIn(dir: string, { uid }: Stats): Finding {
  return fault(
    'data folder',
    `${dir} belongs to the user with the id ${uid}, and this is ${userName()}. What is made in it now, its server could not open.`,
    `Run this as that user: sudo -u '#${uid}' ph server …`,
  )
}

/** In containers a user may have no name. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `the user with the id ${process.getuid?.()}`
  }
}
