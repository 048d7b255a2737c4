/** Amounts in words: bytes as people read them. */

const steps = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** `512 bytes`, `7.0 MiB`, `1.5 TiB`. */
export function bytesWords(bytes: number): string {
  const step = Math.min(steps.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const value = bytes / 1024 ** step
  return step === 0 ? `${bytes} bytes` : `${value < 99.95 ? value.toFixed(1) : Math.round(value)} ${steps[step]}`
}
