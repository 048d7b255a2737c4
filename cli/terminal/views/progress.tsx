/** The display of a running push or pull on a terminal: a bar for each thing that is under way, drawn by ink. */

import { Box, render, Text, useAnimation } from 'ink'
import type { OutStream } from '../output.ts'
import type { ProgressLook, ProgressRow } from '../progress.ts'

const labelWidth = 12
const amountWidth = 22
const paceWidth = 26
const narrowestBar = 8
/** Where even that is too wide. */
const stubBar = 4

/** A filled and an empty part of equal height; told apart without colour too. */
export function bar(fraction: number, width: number): { full: string; rest: string } {
  const full = Math.round(Math.max(0, Math.min(fraction, 1)) * width)
  return { full: '█'.repeat(full), rest: '░'.repeat(width - full) }
}

/** Columns for the bar when everything beside it is given what it needs; the pace is left out where there is no room. */
export function barWidth(columns: number): { bar: number; withPace: boolean } {
  const left = columns - 1 - labelWidth - amountWidth - 1
  const withPace = left - paceWidth >= narrowestBar
  return { bar: Math.max(stubBar, Math.min(withPace ? left - paceWidth : left, 40)), withPace }
}

interface Look {
  columns: number
  color: boolean
}

function Row({ row, look: { columns, color } }: { row: ProgressRow; look: Look }) {
  const { bar: width, withPace } = barWidth(columns)
  const { full, rest } = bar(row.fraction, width)
  const tint = row.fraction < 1 ? 'cyan' : 'green'
  return (
    <Box>
      <Box width={labelWidth} flexShrink={0}>
        <Text bold={row.fraction < 1}>{row.label}</Text>
      </Box>
      <Box flexShrink={0}>
        <Text {...(color ? { color: tint } : {})}>{full}</Text>
        <Text dimColor>{rest} </Text>
      </Box>
      <Box width={amountWidth}>
        <Text wrap="truncate">{row.amount}</Text>
      </Box>
      {withPace && (
        <Text dimColor wrap="truncate">
          {row.pace}
        </Text>
      )}
    </Box>
  )
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const

function Display({ progress: { rows, waiting, idle }, look }: { progress: ProgressLook; look: Look }) {
  const { frame } = useAnimation({ interval: 100 })
  const said = waiting ?? (rows.length === 0 ? idle : undefined)
  return (
    <Box flexDirection="column">
      {rows.map((row) => (
        <Row key={row.label} row={row} look={look} />
      ))}
      {said && (
        <Text wrap="truncate">
          {frames[frame % frames.length]} {said}
        </Text>
      )}
    </Box>
  )
}

export interface ProgressView {
  show(progress: ProgressLook): void
  /** Takes the display away and gives the terminal back. */
  end(): Promise<void>
}

/** Starts drawing on a terminal. */
export function openProgress({ stream, ...look }: Look & { stream: OutStream }): ProgressView {
  const element = (progress: ProgressLook) => <Display progress={progress} look={look} />
  let instance: ReturnType<typeof render> | undefined
  return {
    show(progress) {
      if (instance) instance.rerender(element(progress))
      else
        instance = render(element(progress), {
          stdout: stream,
          interactive: true,
          exitOnCtrlC: false,
          patchConsole: false,
          maxFps: 12,
        })
    },
    async end() {
      // Unmounting draws once more what was shown last: let that be nothing.
      instance?.rerender(null)
      instance?.clear()
      instance?.unmount()
      await instance?.waitUntilExit()
    },
  }
}
