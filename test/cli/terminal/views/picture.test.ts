/** Pictures on the terminal: every protocol shows the right pixels, and each terminal gets the one it understands. */
import { stripVTControlCharacters } from 'node:util'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { blocks } from '../../../../cli/terminal/views/blocks.ts'
import { drawPicture, drawRow } from '../../../../cli/terminal/views/picture.ts'
import { pictureProtocol } from '../../../../cli/terminal/views/picture-terminal.ts'

const redPaint = { r: 255, g: 0, b: 0, alpha: 1 }
const bluePaint = { r: 0, g: 0, b: 255, alpha: 1 }
const clear = { r: 0, g: 0, b: 0, alpha: 0 }

/** A PNG, red above blue. */
async function flag(width: number, height: number): Promise<Buffer> {
  const lower = await sharp({ create: { width, height: height / 2, channels: 4, background: bluePaint } })
    .png()
    .toBuffer()
  const whole = sharp({ create: { width, height, channels: 4, background: redPaint } })
  return whole
    .composite([{ input: lower, left: 0, top: height / 2 }])
    .png()
    .toBuffer()
}

const ESC = '\u001b'
const trueColor = { protocol: 'blocks', colorDepth: 24 } as const

/** Pixels by letter: r red, b blue, g a grey, `.` transparent. */
function pixels(...rows: string[]) {
  const colors: Record<string, number[]> = {
    r: [255, 0, 0, 255],
    b: [0, 0, 255, 255],
    g: [118, 118, 118, 255],
    '.': [0, 0, 0, 0],
  }
  const rgba = Uint8Array.from(rows.flatMap((row) => [...row].flatMap((letter) => colors[letter] ?? [])))
  return { width: rows[0]?.length ?? 0, height: rows.length, rgba }
}
const cell = (ink: string, paper: string, letter: string) => `${ESC}[0m${ESC}[38;${ink}m${ESC}[48;${paper}m${letter}`
const [red, blue] = ['2;255;0;0', '2;0;0;255']

test('a cell holds four pixels in two colours', () => {
  expect(blocks(pixels('rr', 'bb'), 24)).toBe(`${cell(red, blue, '▀')}${ESC}[0m\n`)
  expect(blocks(pixels('rb', 'rb'), 24)).toBe(`${cell(red, blue, '▌')}${ESC}[0m\n`)
  expect(blocks(pixels('rb', 'br'), 24)).toBe(`${cell(blue, red, '▞')}${ESC}[0m\n`)
  expect(blocks(pixels('rb', 'bb'), 24)).toBe(`${cell(red, blue, '▘')}${ESC}[0m\n`)
})

test('cells of one look share their escape codes, and a plain cell is of one colour whatever the font makes of its character', () => {
  expect(blocks(pixels('rrrr', 'rrrr'), 24)).toBe(`${cell(red, red, '██')}${ESC}[0m\n`)
})

test('where only a part is seen, the background of the terminal is left alone', () => {
  expect(blocks(pixels('.r', '..'), 24)).toBe(`${ESC}[0m${ESC}[38;${red}m▝${ESC}[0m\n`)
  expect(blocks(pixels('r'), 24)).toBe(`${ESC}[0m${ESC}[38;${red}m▘${ESC}[0m\n`)
})

test('with 256 colours the nearest ones are used, greys from the grey ramp', () => {
  expect(blocks(pixels('rr', 'bb'), 8)).toBe(`${cell('5;196', '5;21', '▀')}${ESC}[0m\n`)
  expect(blocks(pixels('gg', 'gg'), 8)).toBe(`${cell('5;243', '5;243', '█')}${ESC}[0m\n`)
})

test('transparent pixels leave the background of the terminal alone', async () => {
  const png = await sharp({ create: { width: 8, height: 8, channels: 4, background: clear } })
    .png()
    .toBuffer()
  expect(await drawPicture(png, { columns: 4, rows: 2 }, trueColor)).toBe('    \n    \n')
})

test('a picture keeps its proportions within its box', async () => {
  const text = await drawPicture(await flag(100, 20), { columns: 20, rows: 20 }, trueColor)
  const lines = stripVTControlCharacters(text).trimEnd().split('\n')
  expect(lines.map(({ length }) => length)).toEqual([20, 20])
})

test('kitty gets the PNG in chunks of at most 4096 characters, and the columns to fill, so that nothing is distorted', async () => {
  const noise = await sharp({
    create: { width: 200, height: 200, channels: 3, background: redPaint, noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  })
    .png()
    .toBuffer()
  const text = await drawPicture(noise, { columns: 20, rows: 10 }, { protocol: 'kitty', colorDepth: 24 })
  const chunks = [...text.matchAll(new RegExp(`${ESC}_G([^;]*);([^${ESC}]*)${ESC}\\\\`, 'g'))]
  expect(chunks.length).toBeGreaterThan(1)
  expect(chunks[0]?.[1]).toContain('a=T,f=100,q=2,c=20,m=1')
  expect(chunks.at(-1)?.[1]).toBe('m=0')
  for (const [, , payload = ''] of chunks) expect(payload.length).toBeLessThanOrEqual(4096)
  const png = Buffer.from(chunks.map(([, , payload]) => payload).join(''), 'base64')
  expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 200, height: 200 })
})

test('iTerm2 gets the PNG with its width in cells', async () => {
  const text = await drawPicture(await flag(400, 400), { columns: 10, rows: 5 }, { protocol: 'iterm', colorDepth: 24 })
  const [, control, payload = ''] = new RegExp(`${ESC}\\]1337;File=([^:]*):([^\u0007]*)\u0007`).exec(text) ?? []
  expect(control).toContain('inline=1')
  expect(control).toContain('width=10;height=auto')
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
  const layout = { box: { columns: 4, rows: 2 }, gap: 2, margin: 1 }
  const text = await drawRow([await flag(40, 40), undefined, await flag(40, 40)], layout, trueColor)
  const seen = stripVTControlCharacters(text).replace(/[^ \n]/g, '#')
  expect(seen).toBe(' ####        ####\n ####        ####\n')
})

test('each terminal gets the protocol it understands, and doubt means blocks', () => {
  const of = (env: Record<string, string>) => pictureProtocol({ TERM: 'xterm-256color', ...env })
  expect(of({ TERM: 'xterm-kitty' })).toBe('kitty')
  expect(of({ TERM_PROGRAM: 'ghostty' })).toBe('kitty')
  expect(of({ KONSOLE_VERSION: '230401' })).toBe('iterm')
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
