/** Pictures in what a program wrote to a terminal, decoded as kitty and sixel terminals do; whatever is not well formed is thrown. */
import sharp from 'sharp'

export interface Decoded {
  width: number
  height: number
  /** Red, green, blue, alpha of a pixel. */
  at(x: number, y: number): number[]
}

const pixels = (width: number, height: number, rgba: Uint8Array): Decoded => ({
  ...{ width, height },
  at: (x, y) => [...rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)],
})

export interface KittyCommand {
  keys: Record<string, string>
  payload: Buffer
}

/** Every command of the graphics protocol, its chunks joined. */
export function kittyCommands(text: string): KittyCommand[] {
  const commands: KittyCommand[] = []
  let open: { keys: Record<string, string>; chunks: string[] } | undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is read
  for (const [, control = '', payload = ''] of text.matchAll(/\u001b_G([^;\u001b]*);?([^\u001b]*)\u001b\\/g)) {
    const keys = Object.fromEntries(control.split(',').map((pair) => pair.split('=') as [string, string]))
    if (payload.length > 4096 || !/^[A-Za-z0-9+/]*={0,2}$/.test(payload)) throw new Error('This is no chunk of base64.')
    if (open && Object.keys(keys).join() !== 'm') throw new Error('A picture began before the last one had ended.')
    open ??= { keys, chunks: [] }
    open.chunks.push(payload)
    if (keys.m === '1') continue
    commands.push({ keys: open.keys, payload: Buffer.from(open.chunks.join(''), 'base64') })
    open = undefined
  }
  if (open) throw new Error('The last picture has no end.')
  return commands
}

export async function kittyPixels({ payload }: KittyCommand): Promise<Decoded> {
  const { data, info } = await sharp(payload).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return pixels(info.width, info.height, data)
}

/** Every sixel picture (DEC STD 070): colours are defined before they are used, and nothing lies outside of the size that is given. */
export function sixelPictures(text: string): Decoded[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is read
  return [...text.matchAll(/\u001bP([\d;]*)q([^\u001b]*)\u001b\\/g)].map(([, , body = '']) => sixelPixels(body))
}

function sixelPixels(body: string): Decoded {
  const [head = '', width = 0, height = 0] = (/^"1;1;(\d+);(\d+)/.exec(body) ?? []).map((part, at) =>
    at ? Number(part) : part,
  ) as [string, number, number]
  const rgba = new Uint8Array(width * height * 4)
  const colors = new Map<number, number[]>()
  let [x, top, color, rest] = [0, 0, [0, 0, 0], body.slice(head.length)]
  while (rest !== '') {
    const token = /^(?:#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|\$|-|[\r\n])/.exec(rest)
    if (!token) throw new Error(`This is no sixel: ${JSON.stringify(rest.slice(0, 20))}`)
    const [all, number, red, green, blue, times = '1', repeated, single] = token
    const sixel = repeated ?? single
    if (red !== undefined)
      colors.set(
        Number(number),
        [red, green, blue].map((share) => Math.round(Number(share) * 2.55)),
      )
    else if (number !== undefined) color = colors.get(Number(number)) ?? refuse(`Colour ${number} is not defined.`)
    else if (all === '$') x = 0
    else if (all === '-') [x, top] = [0, top + 6]
    else if (sixel)
      for (let count = Number(times); count > 0; count--, x++)
        for (let bit = 0; bit < 6; bit++) {
          if (((sixel.charCodeAt(0) - 63) & (1 << bit)) === 0) continue
          if (x >= width || top + bit >= height) refuse('A pixel lies outside of the picture.')
          rgba.set([...color, 255], ((top + bit) * width + x) * 4)
        }
    rest = rest.slice(all.length)
  }
  return pixels(width, height, rgba)
}

function refuse(why: string): never {
  throw new Error(why)
}
