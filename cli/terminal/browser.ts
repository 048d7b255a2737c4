/** The browser and the clipboard of the one who sits at the terminal, where they can be reached from here. */
import { once } from 'node:events'
import type { Context, Surroundings } from '../context.ts'

/**
 * Whether a browser that is started here opens where the person is: not over SSH, and not without a display. BROWSER names one
 * that someone has set up for exactly this.
 */
export function canOpenBrowser(env: Surroundings['env'], platform: NodeJS.Platform = process.platform): boolean {
  if (env.BROWSER) return platform === 'linux'
  if (env.SSH_CONNECTION || env.SSH_TTY || env.SSH_CLIENT) return false
  if (platform === 'win32' || platform === 'darwin') return true
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME)
}

/** How long a browser that cannot start may take to say so. */
const failsWithinMs = 1500

/** Opens a page; says whether that seems to have worked. */
export async function openInBrowser(page: string, { env, pause, signal }: Context): Promise<boolean> {
  if (!canOpenBrowser(env)) return false
  try {
    const { default: open } = await import('open')
    const started = await open(page)
    const failed = Promise.race([
      once(started, 'error').then(() => true),
      once(started, 'exit').then(([code]) => code !== 0),
    ]).catch(() => true)
    return !(await Promise.race([failed, pause(failsWithinMs, signal).then(() => false)]))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Error) return false
    throw error
  }
}

/** Terminals that print what they do not understand. */
const withoutSequences = new Set(['dumb', 'linux', 'cons25', 'emacs'])

/**
 * Asks the terminal to put a text into the clipboard of the person before it (OSC 52), also over SSH. Whether it did is not
 * told, and some ask the person first.
 */
export function copyByTerminal(text: string, { env, stderr }: Context): boolean {
  if (!stderr.isTTY || withoutSequences.has(env.TERM ?? 'dumb')) return false
  stderr.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`)
  return true
}
