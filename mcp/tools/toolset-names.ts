/** What toolsets are called, and how people list them. Beside the tools, so that who only reads names loads none of them. */

/** `all` stands for all of them. */
export const toolsetNames = [
  'default',
  'catalog',
  'curation',
  'pulls',
  'check_out',
  'reviews',
  'discussion',
  'push',
  'admin',
  'all',
] as const
export type ToolsetName = (typeof toolsetNames)[number]

/** `a, b` as people write lists into headers and options. */
export const namesIn = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
