/** How both databases plan statements. */

/**
 * Every execution is planned with its own values. A plan made when a table was empty, or a list short, would be used after both have
 * grown: a commit of 5,000 items then takes half a minute instead of half a second.
 */
export const planning = 'force_custom_plan'
