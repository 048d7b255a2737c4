/** Reactions as people type them: the emoji, or a word for it where a keyboard has none. */
import { reactionEmoji } from '../../contract/comments.ts'

export type Emoji = (typeof reactionEmoji)[number]

/** The first word is the one that is told. */
export const reactionWords: Record<Emoji, readonly string[]> = {
  '👍': ['up', 'thumbsup', '+1', 'like', 'yes'],
  '👎': ['down', 'thumbsdown', '-1', 'dislike'],
  '❤️': ['heart', 'love'],
  '😄': ['smile', 'laugh', 'haha', 'grin'],
  '😮': ['wow', 'open_mouth', 'surprised'],
  '😢': ['sad', 'cry'],
  '🎉': ['party', 'tada', 'hooray'],
  '🚀': ['rocket'],
  '👀': ['eyes'],
  '🔥': ['fire'],
  '✅': ['check', 'done', 'white_check_mark'],
  '❌': ['cross', 'x', 'no'],
}

/** Also `:tada:`, as chats write it; the heart with and without the sign that colours it, and hands of any skin. */
export function reactionMeant(given: string): Emoji | undefined {
  const typed = given.trim().toLowerCase().replaceAll(':', '').replaceAll('-', '_').replace(/^_1$/, '-1')
  const bare = (text: string): string => text.replaceAll(/[\ufe0f\u{1f3fb}-\u{1f3ff}]/gu, '')
  return reactionEmoji.find((emoji) => bare(emoji) === bare(typed) || reactionWords[emoji].includes(typed))
}
