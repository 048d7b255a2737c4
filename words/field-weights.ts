/**
 * What a word is worth by where it stands, and how whole it stands there (contract-gaps 6):
 *
 *                                 name  category  tags  pack  comments
 *   the whole word                  64        32    16     8         4
 *   the beginning of a word         48        24    12     6         3
 */
export const fieldWeights = { name: 64, category: 32, tags: 16, pack: 8, comments: 4 } as const
export const begunShare = 0.75

/** What a word can be worth. A power of two. */
export const bestWord = fieldWeights.name

/** The most that a question of so many words can reach: one more, when the name says just what was asked and nothing else. */
export const bestWeight = (wordCount: number): number => bestWord * wordCount + 1
