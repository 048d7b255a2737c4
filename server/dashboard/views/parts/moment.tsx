/** Times as people say them, with the exact one behind. */
import { agoWords, exactWords } from '../../words.ts'

export function Ago({ date, now }: { date: Date; now: Date }) {
  return (
    <time className="unbroken" dateTime={date.toISOString()} title={exactWords(date)}>
      {agoWords(date, now)}
    </time>
  )
}
