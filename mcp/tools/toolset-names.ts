/** What toolsets are called. Beside the tools, so that who only checks a name loads none of them. */

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
