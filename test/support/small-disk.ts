/**
 * A disk of a few megabytes that a test can really fill: a tmpfs in a mount namespace of its own. Only programs started `within`
 * see it under its name; the test looks in from outside. It is gone with the process that holds the namespace, and that one ends
 * when the test does, even when the test is killed.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fstatSync, ftruncateSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { fillDisk } from './ballast.ts'

export interface SmallDisk {
  /** The words in front of a command line by which a program sees the disk. */
  within: readonly string[]
  /** Where the test itself reaches a path that lies on the disk. */
  seen(path: string): string
  /** The file that takes the space, as programs within name it. */
  ballast: string
  /** Takes all the space but so many bytes, in pages of 4 KiB. */
  fill(leftBytes?: number): void
  /** Takes every name that the disk has for a file or folder but so many; only where it has a number of them. */
  fillNames(left: number): void
  /** Gives back the space, and the names, that were taken. */
  free(): void
  setWritable(writable: boolean): void
}

/** Root mounts in a namespace of its own; anybody else becomes root of a user namespace first. */
const ways = [
  { unshare: ['-m'], enter: (pid: number) => ['nsenter', `--mount=/proc/${pid}/ns/mnt`, '--'] },
  {
    unshare: ['-Urm'],
    enter: (pid: number) => [
      'nsenter',
      `--user=/proc/${pid}/ns/user`,
      `--mount=/proc/${pid}/ns/mnt`,
      '--preserve-credentials',
      '--',
    ],
  },
]

/** Mounts a disk over a folder that is there, until the test is over. It has room for so many files and folders; without end for 0. */
export async function mountSmallDisk(folder: string, sizeBytes: number, mostFiles = 0): Promise<SmallDisk> {
  const refusals: string[] = []
  const room = `size=${sizeBytes},nr_inodes=${mostFiles},mode=700`
  for (const { unshare, enter } of ways) {
    const line = [...unshare, 'sh', '-c', `mount -t tmpfs -o ${room} tmpfs "$0" && echo mounted && exec cat`]
    const holder = spawn('unshare', [...line, folder], { stdio: ['pipe', 'pipe', 'pipe'] })
    onTestFinished(() => void holder.kill('SIGKILL'))
    const refusal = await refusalOf(holder)
    if (refusal === undefined && holder.pid) return diskOf(holder.pid, folder, enter(holder.pid))
    refusals.push(`\`unshare ${unshare.join(' ')}\`: ${refusal}`)
  }
  throw new Error(
    `This test needs a disk that it can fill, and may not mount one here. Run it as root with CAP_SYS_ADMIN (a container: --privileged), or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0); unshare, nsenter and mount come with util-linux and mount. ${refusals.join('; ')}`,
  )
}

/** Undefined once the disk is there. */
async function refusalOf(holder: ChildProcess): Promise<string | undefined> {
  let said = ''
  holder.stderr?.on('data', (chunk) => (said += chunk))
  const mounted = new Promise<undefined>((resolve) => holder.stdout?.once('data', () => resolve(undefined)))
  const failed = once(holder, 'close').then(
    () => said.trim() || 'it ended without a word',
    (error: Error) => error.message,
  )
  return Promise.race([mounted, failed])
}

/** Makes empty files in the folder until there are no names left. */
function takeNames(folder: string): string[] {
  const taken: string[] = []
  for (;;) {
    const path = join(folder, String(taken.length))
    try {
      writeFileSync(path, '')
      taken.push(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      return taken
    }
  }
}

function diskOf(pid: number, folder: string, within: readonly string[]): SmallDisk {
  const seen = (path: string) => `/proc/${pid}/root${path}`
  const ballast = join(seen(folder), 'ballast')
  const names = join(seen(folder), 'names')
  return {
    within,
    seen,
    ballast: join(folder, 'ballast'),
    fill: (leftBytes = 0) => fillDisk(ballast, (fd) => ftruncateSync(fd, Math.max(0, fstatSync(fd).size - leftBytes))),
    fillNames(left) {
      mkdirSync(names)
      const taken = takeNames(names)
      for (const path of taken.slice(-left || taken.length)) rmSync(path)
    },
    free() {
      rmSync(ballast, { force: true })
      rmSync(names, { recursive: true, force: true })
    },
    setWritable(writable) {
      const [command = '', ...words] = [...within, 'mount', '-o', `remount,${writable ? 'rw' : 'ro'}`, folder]
      execFileSync(command, words)
    },
  }
}
