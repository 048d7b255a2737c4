/** Ends of texts. An expression for them, such as `\/+$`, begins again at every character of a long run, which takes its square. */

/** Without the characters at its end that are among these. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
