/** A screen of lines that keys act on, drawn by ink on the terminal's other screen: what was there before comes back. */
import { Box, type Key as InkKey, render, Text, useInput, usePaste, useWindowSize } from 'ink'
import type { InStream } from '../../context.ts'
import { type OutStream, shown } from '../output.ts'

export interface ScreenKey {
  name?: 'up' | 'down' | 'left' | 'right' | 'enter' | 'escape' | 'backspace' | 'pageup' | 'pagedown' | 'home' | 'end' | 'tab'
  typed?: string
  ctrl?: boolean
}

export interface ScreenModel {
  /** As many lines as there are rows; none is wider than the columns. */
  lines(size: { columns: number; rows: number }): readonly string[]
  onKey(key: ScreenKey): void
}

export interface FullScreen {
  draw(): void
  /** Gives the terminal back. */
  close(): Promise<void>
}

const names: readonly (readonly [field: keyof InkKey, name: NonNullable<ScreenKey['name']>])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['tab', 'tab'],
]

/** Keys that are struck quickly arrive together. */
function toKeys(input: string, key: InkKey): ScreenKey[] {
  const [, name] = names.find(([field]) => key[field] === true) ?? []
  if (name) return [{ name }]
  if (key.ctrl) return [{ typed: input, ctrl: true }]
  return [...input].map((letter) => {
    const named = letterNames[letter]
    if (named) return { name: named }
    return letter < ' ' ? { typed: String.fromCharCode(letter.charCodeAt(0) + 96), ctrl: true } : { typed: letter }
  })
}

const letterNames: Record<string, ScreenKey['name']> = { '\r': 'enter', '\n': 'enter', '\u007f': 'backspace', '\t': 'tab' }

function Screen({ model }: { model: ScreenModel }) {
  const { columns, rows } = useWindowSize()
  useInput((input, key) => {
    for (const one of toKeys(input, key)) model.onKey(one)
  })
  usePaste((text) => model.onKey({ typed: text.replaceAll(/\r\n?/g, '\n') }))
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      {model
        .lines({ columns, rows })
        .map(shown)
        .map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its row
          <Text key={at} wrap="truncate">
            {line === '' ? ' ' : line}
          </Text>
        ))}
    </Box>
  )
}

export function openFullScreen(model: ScreenModel, { stdin, stdout }: { stdin: InStream; stdout: OutStream }): FullScreen {
  const element = () => <Screen model={model} />
  const instance = render(element(), {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    interactive: true,
    alternateScreen: true,
    exitOnCtrlC: false,
    patchConsole: false,
  })
  return {
    draw: () => instance.rerender(element()),
    async close() {
      instance.unmount()
      await instance.waitUntilExit()
    },
  }
}
