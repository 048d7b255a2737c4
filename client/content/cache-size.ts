/** How much the content cache may keep, as people write it. */

export const defaultCacheBytes = 20 * 1024 ** 3

const units: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 }

/** `20G`, `500 MiB` or bytes; the default for nothing at all, undefined for what is no size. */
export function readCacheSize(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return defaultCacheBytes
  const [, amount = '', unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)\s*([kmgt]?)(?:i?b)?$/i.exec(text.trim()) ?? []
  return amount === '' ? undefined : Math.floor(Number(amount) * (units[unit.toLowerCase()] ?? 1))
}
