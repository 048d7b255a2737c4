/** What pictures a terminal can show, judged by what it says of itself in the environment. When in doubt: coloured blocks. */
import { WriteStream } from 'node:tty'
import type { Surroundings } from '../../context.ts'

/**
 * `kitty`: https://sw.kovidgoyal.net/kitty/graphics-protocol/, `iterm`: https://iterm2.com/documentation-images.html,
 * `sixel`: DEC sixel graphics, `blocks`: block characters in colour, `none`: no picture at all.
 */
export const pictureProtocols = ['kitty', 'iterm', 'sixel', 'blocks', 'none'] as const
export type PictureProtocol = (typeof pictureProtocols)[number]

type Environment = Surroundings['env']

/** Bits of colour: 1, 4, 8 or 24. Node reads the same variables for its own terminals. */
export const colorDepth = (env: Environment): number => WriteStream.prototype.getColorDepth(env)

/** Konsole shows pictures since 22.04; of kitty's protocol it does not know how rows follow from columns. */
const konsoleWithPictures = 220_400

/** How to show a picture on a terminal with this environment. `PH_PICTURES` names a protocol outright. */
export function pictureProtocol(env: Environment): PictureProtocol {
  const chosen = pictureProtocols.find((protocol) => protocol === env.PH_PICTURES)
  if (chosen) return chosen
  if (env.PH_PICTURES === 'off' || env.NO_COLOR || env.TERM === 'dumb') return 'none'
  // tmux and screen pass pictures on only when told to, and then misplace them.
  const direct = env.TMUX || env.STY || /^(tmux|screen)/.test(env.TERM ?? '') ? undefined : ownProtocol(env)
  return direct ?? (colorDepth(env) >= 8 ? 'blocks' : 'none')
}

function ownProtocol(env: Environment): PictureProtocol | undefined {
  const { TERM = '', TERM_PROGRAM = '' } = env
  if (env.KITTY_WINDOW_ID || TERM === 'xterm-kitty' || TERM === 'xterm-ghostty' || TERM_PROGRAM === 'ghostty') return 'kitty'
  if (Number(env.KONSOLE_VERSION ?? 0) >= konsoleWithPictures) return 'iterm'
  if (['iTerm.app', 'WezTerm', 'mintty'].includes(TERM_PROGRAM) || env.LC_TERMINAL === 'iTerm2') return 'iterm'
  if (/^(foot|mlterm|yaft|contour)/.test(TERM)) return 'sixel'
  return undefined
}
