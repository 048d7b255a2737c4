/** One sentence on what has just been done, at the top of the page that follows. */

export function Notice({ words }: { words: string | undefined }) {
  if (!words) return null
  return (
    <p className="note" role="status">
      {words}
    </p>
  )
}
