/** Pictures on the terminal: every protocol shows the right pixels, and each terminal gets the one it understands. */
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { drawPicture, drawRow } from '../../../cli/views/picture.ts'
import { pictureProtocol } from '../../../cli/views/picture-terminal.ts'

const red = { r: 255, g: 0, b: 0, alpha: 1 }
const blue = { r: 0, g: 0, b: 255, alpha: 1 }
const clear = { r: 0, g: 0, b: 0, alpha: 0 }

/** A PNG, red above blue. */
async function flag(width: number, height: number): Promise<Buffer> {
  const lower = await sharp({ create: { width, height: height / 2, channels: 4, background: blue } })
    .png()
    .toBuffer()
  const whole = sharp({ create: { width, height, channels: 4, background: red } })
  return whole
    .composite([{ input: lower, left: 0, top: height / 2 }])
    .png()
    .toBuffer()
}

const ESC = '\u001b'
const trueColor = { protocol: 'blocks', colorDepth: 24 } as const

test('half blocks show two pixels a character, in their own colours', async () => {
  const text = await drawPicture(await flag(4, 4), { columns: 4, rows: 2 }, trueColor)
  expect(text).toBe(
    `${ESC}[0m${ESC}[38;2;255;0;0m${ESC}[48;2;255;0;0m▀▀▀▀${ESC}[0m\n${ESC}[0m${ESC}[38;2;0;0;255m${ESC}[48;2;0;0;255m▀▀▀▀${ESC}[0m\n`,
  )
})

test('with 256 colours the nearest ones are used', async () => {
  const text = await drawPicture(await flag(1, 2), { columns: 1, rows: 1 }, { protocol: 'blocks', colorDepth: 8 })
  expect(text).toContain('38;5;196m')
  expect(text).toContain('48;5;21m')
})

test('transparent pixels leave the background of the terminal alone', async () => {
  const png = await sharp({ create: { width: 8, height: 8, channels: 4, background: clear } })
    .png()
    .toBuffer()
  expect(await drawPicture(png, { columns: 4, rows: 2 }, trueColor)).toBe('    \n    \n')
})

test('a picture keeps its proportions within its box', async () => {
  const text = await drawPicture(await flag(100, 20), { columns: 20, rows: 20 }, trueColor)
  expect(text.trimEnd().split('\n')).toHaveLength(2)
  expect(text.split('\n')[0]?.match(/▀/g)).toHaveLength(20)
})

test('kitty gets the PNG in chunks of at most 4096 characters, and the cells to fill', async () => {
  const noise = await sharp({
    create: { width: 200, height: 200, channels: 3, background: red, noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  })
    .png()
    .toBuffer()
  const text = await drawPicture(noise, { columns: 20, rows: 10 }, { protocol: 'kitty', colorDepth: 24 })
  const chunks = [...text.matchAll(new RegExp(`${ESC}_G([^;]*);([^${ESC}]*)${ESC}\\\\`, 'g'))]
  expect(chunks.length).toBeGreaterThan(1)
  expect(chunks[0]?.[1]).toContain('a=T,f=100,q=2,c=20,r=10,m=1')
  expect(chunks.at(-1)?.[1]).toBe('m=0')
  for (const [, , payload = ''] of chunks) expect(payload.length).toBeLessThanOrEqual(4096)
  const png = Buffer.from(chunks.map(([, , payload]) => payload).join(''), 'base64')
  expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 200, height: 200 })
})

test('iTerm2 gets the PNG with its size in cells', async () => {
  const text = await drawPicture(await flag(400, 400), { columns: 10, rows: 5 }, { protocol: 'iterm', colorDepth: 24 })
  const [, control, payload = ''] = new RegExp(`${ESC}\\]1337;File=([^:]*):([^\u0007]*)\u0007`).exec(text) ?? []
  expect(control).toContain('inline=1')
  expect(control).toContain('width=10;height=5')
  expect((await sharp(Buffer.from(payload, 'base64')).metadata()).width).toBe(100)
})

/** Reads a sixel picture back into rows of `r,g,b` in percent; undefined where nothing was drawn. */
function readSixel(text: string): (string | undefined)[][] {
  const colors = new Map<string, string>()
  const rows: (string | undefined)[][] = []
  let [x, top, color] = [0, 0, '']
  const body = text.slice(text.indexOf('q') + 1, text.lastIndexOf(`${ESC}\\`))
  for (const [token, number, define, repeat] of body.matchAll(/#(\d+)(?:;2;([\d;]+))?|!(\d+)[?-~]|"[\d;]+|[-$]|[?-~]/g)) {
    if (number !== undefined && define !== undefined) colors.set(number, define)
    else if (number !== undefined) color = number
    else if (token === '$') x = 0
    else if (token === '-') [x, top] = [0, top + 6]
    else if (!token.startsWith('"')) {
      const bits = token.charCodeAt(token.length - 1) - 63
      for (const end = x + Number(repeat ?? 1); x < end; x++)
        for (let row = 0; row < 6; row++) {
          const line = rows[top + row] ?? []
          if (bits & (1 << row)) rows[top + row] = line
          if (bits & (1 << row)) line[x] = colors.get(color)
        }
    }
  }
  return rows
}

test('sixel draws every pixel in its colour', async () => {
  const text = await drawPicture(await flag(40, 40), { columns: 4, rows: 2 }, { protocol: 'sixel', colorDepth: 24 })
  const rows = readSixel(text)
  expect(rows).toHaveLength(40)
  expect(new Set(rows.slice(0, 18).flat())).toEqual(new Set(['100;0;0']))
  expect(new Set(rows.slice(22).flat())).toEqual(new Set(['0;0;100']))
  for (const row of rows) expect(row).toHaveLength(40)
})

test('several pictures stand side by side, and a missing one leaves its place empty', async () => {
  const layout = { box: { columns: 4, rows: 2 }, gap: 2 }
  const text = await drawRow([await flag(40, 40), undefined, await flag(40, 40)], layout, trueColor)
  const plain = text.replaceAll(new RegExp(`${ESC}\\[[\\d;]*m`, 'g'), '')
  expect(plain).toBe('▀▀▀▀        ▀▀▀▀\n▀▀▀▀        ▀▀▀▀\n')
})

test('each terminal gets the protocol it understands, and doubt means blocks', () => {
  const of = (env: Record<string, string>) => pictureProtocol({ TERM: 'xterm-256color', ...env })
  expect(of({ TERM: 'xterm-kitty' })).toBe('kitty')
  expect(of({ TERM_PROGRAM: 'ghostty' })).toBe('kitty')
  expect(of({ KONSOLE_VERSION: '230401' })).toBe('kitty')
  expect(of({ TERM_PROGRAM: 'iTerm.app' })).toBe('iterm')
  expect(of({ TERM_PROGRAM: 'WezTerm' })).toBe('iterm')
  expect(of({ TERM: 'foot' })).toBe('sixel')
  expect(of({})).toBe('blocks')
  expect(of({ TERM_PROGRAM: 'vscode', COLORTERM: 'truecolor' })).toBe('blocks')
})

test('inside tmux the outer terminal is not trusted with pictures', () => {
  expect(pictureProtocol({ TERM: 'tmux-256color', TMUX: '/tmp/tmux', KITTY_WINDOW_ID: '1' })).toBe('blocks')
})

test('no picture without colour, and whatever PH_PICTURES says', () => {
  expect(pictureProtocol({ TERM: 'xterm-kitty', NO_COLOR: '1' })).toBe('none')
  expect(pictureProtocol({ TERM: 'dumb' })).toBe('none')
  expect(pictureProtocol({ TERM: 'xterm-kitty', PH_PICTURES: 'off' })).toBe('none')
  expect(pictureProtocol({ TERM: 'vt100', PH_PICTURES: 'sixel' })).toBe('sixel')
})
