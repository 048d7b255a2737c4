/** A picture with words beside it: both where they belong, whatever the terminal does with its cursor after a picture. */
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { drawBeside } from '../../../../cli/terminal/views/picture-beside.ts'
import { pngOf } from '../../../support/media.ts'

const layout = { box: { columns: 6, rows: 3 }, gap: 2, margin: 1 }
const png = await pngOf(64, 64)
const ESC = '\u001b'

test('of characters, the picture and the words share their lines', async () => {
  const drawn = await drawBeside({ bytes: png, lines: ['one', 'two'] }, layout, { protocol: 'blocks', colorDepth: 24 })
  expect(stripVTControlCharacters(drawn)).toBe(' ██████  one\n ██████  two\n ██████\n\n')
})

test('longer words go on below the picture, in their column, and without a picture they stand there too', async () => {
  const style = { protocol: 'blocks', colorDepth: 24 } as const
  const drawn = stripVTControlCharacters(await drawBeside({ bytes: png, lines: ['1', '2', '3', '4'] }, layout, style))
  expect(drawn.split('\n')[3]).toBe('         4')
  expect(await drawBeside({ bytes: undefined, lines: ['one'] }, layout, style)).toBe('         one\n\n')
  expect(await drawBeside({ bytes: Buffer.from('no picture'), lines: ['one'] }, layout, style)).toBe('         one\n\n')
})

test.each(['kitty', 'iterm', 'sixel'] as const)(
  '%s: room is made first, then the picture drawn and the cursor put back, so that each line stands right of it',
  async (protocol) => {
    const drawn = await drawBeside({ bytes: png, lines: ['one', 'two'] }, layout, { protocol, colorDepth: 24 })
    const [before = '', picture = '', after] = drawn.split(new RegExp(`${ESC}[78]`))
    expect(before).toBe(`\n\n\n\n${ESC}[4A`)
    expect(picture.startsWith(`${ESC}[1C${ESC}`)).toBe(true)
    expect(picture).not.toContain('\n')
    expect(after).toBe(`${ESC}[9Cone\n${ESC}[9Ctwo\n\n\n`)
  },
)
