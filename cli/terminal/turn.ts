/** Whether this terminal can show a turntable, and showing one. */
import type { Context } from '../context.ts'
import { failed, Refusal, wrongUsage } from '../refusal.ts'
import type { FrameStyle } from './views/frames.ts'
import type { TurnSubject } from './views/turntable/turntable.ts'

export type TurnStyle = Pick<FrameStyle, 'protocol' | 'colorDepth'>

/** What help says of it. */
export const turnTerms = [
  ['PH_NO_MOTION', 'with any value, nothing turns by itself: arrow keys turn it, space starts it'],
] as const

/** Asked before anything is fetched. Throws Refusal where there is no terminal, or none that shows pictures. */
export async function requireTurnStyle(context: Context, instead: string): Promise<TurnStyle> {
  const { out, env, stdin } = context
  if (out.json) throw wrongUsage('--turn shows a picture on the terminal, and --json asks for values.', instead)
  if (!out.terminal || stdin.isTTY !== true)
    throw failed('NO_TERMINAL', '--turn needs a terminal to draw on and to read keys from, and there is none.', instead)
  const { pictureProtocol, colorDepth } = await import('./views/picture-terminal.ts')
  const protocol = pictureProtocol(env)
  if (protocol !== 'none') return { protocol, colorDepth: colorDepth(env) }
  const why =
    env.PH_PICTURES === 'off'
      ? 'pictures are off (PH_PICTURES, `ph config get pictures`)'
      : env.NO_COLOR
        ? 'NO_COLOR is set'
        : 'it has too few colours'
  throw failed(
    'NO_PICTURES',
    `This terminal shows no pictures: ${why}.`,
    'Set PH_PICTURES to blocks, sixel or kitty to draw them all the same.',
  )
}

/** Gives the exit code. Throws Refusal `NOT_DRAWN`. */
export async function runTurn(context: Context, subject: TurnSubject, style: TurnStyle): Promise<number> {
  const [{ runTurntable }, { DrawingError }] = await Promise.all([
    import('./views/turntable/turntable.ts'),
    import('./views/drawing-thread.ts'),
  ])
  try {
    return await runTurntable(context, subject, { style, hasMotion: !context.env.PH_NO_MOTION })
  } catch (error) {
    if (!(error instanceof DrawingError)) throw error
    throw new Refusal({
      ...{ code: 'NOT_DRAWN', exit: 1, message: `${subject.name} cannot be drawn. ${error.message}` },
      ...{
        next: 'Look at what else is known of it: `ph show` for a prop, `ph inspect` for a file.',
        details: { reason: error.reason },
      },
    })
  }
}
