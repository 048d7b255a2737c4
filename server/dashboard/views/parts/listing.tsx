/** A table of things, one a row: its name for screen readers, and its heads. */
import type { ReactNode } from 'react'

interface ListingProps {
  caption: string
  columns: readonly string[]
  /** The last column holds what can be done with a row; its head is for screen readers. */
  canAct?: boolean
  children: ReactNode
}

export function Listing({ caption, columns, canAct = false, children }: ListingProps) {
  return (
    <table className="table">
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
          {canAct && (
            <th scope="col">
              <span className="unseen">What to do</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}
