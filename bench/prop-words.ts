/** What made-up props, tags, categories and packs are called: words in the order of how often studios use them. */

const words = (text: string): string[] => text.trim().split(/\s+/)

export const nouns = words(`
  Rock Wall Barrel Crate Lookup Roof Window Tree Floor Pipe Lantern Road Stairs Column Fence Table Chair Bridge Tower Rope Bush Grass Cliff
  Statue Beam Shelf Gate Arch Brick Plank Sign Lamp Bench Cart Fern Root Stump Log Boulder Pillar Railing Vase Pot Bottle Book Candle Rug
  Curtain Bed Wardrobe Desk Cabinet Drawer Mirror Painting Frame Clock Sword Shield Axe Helmet Armor Bow Quiver Spear Dagger Banner Flag
  Tent Wagon Wheel Anchor Boat Sail Dock Net Fish Bucket Well Pump Engine Turbine Generator Cable Antenna Panel Screen Console Robot Drone
  Rocket Satellite Airlock Vent Duct Hatch Ladder Crane Forklift Truck Car Tire Bicycle Train Rail Platform Kiosk Hydrant Mailbox Dumpster
  Trash Pallet Sack Basket Jug Plate Bowl Spoon Kettle Stove Oven Fridge Sink Bathtub Toilet Radiator Chandelier Sofa Pillow Blanket
  Skull Bone Coffin Grave Altar Throne Crown Chest Coin Gem Crystal Mushroom Flower Ivy Vine Reed Cactus Palm Pine Oak Birch Willow`)

export const adjectives = words(`
  Old Rough Wooden Stone Broken Small Large Round Rusty Metal Mossy Medieval Royal Brick Painted Modern Ancient Dark Snowy Sandy Rotten Iron
  Gothic Roman Marble Tall Short Narrow Wide Ruined Clean Dirty Burnt Cracked Golden Silver Copper Bronze Plastic Glass Concrete Leather
  Woven Carved Ornate Plain Heavy Light Frozen Flooded Overgrown Hidden Sacred Cursed Haunted Futuristic Industrial Rural Urban Coastal
  Desert Jungle Arctic Volcanic Nordic Celtic Victorian Baroque Egyptian Aztec Japanese Chinese Viking Pirate Western Steampunk`)

export const labels = words('Mossy Snowy Broken Clean Painted Burnt Wet Dusty Small Large Ruined Gold')

export const categories = words(`
  Props Environment Architecture Foliage Rocks Furniture Weapons Characters Vehicles Decals Lighting Food Interiors Streets Dungeon Village
  Castle Harbor Forest Kitchen Tools Machines Containers Signs Ruins Tavern Market Farm Mine Laboratory Spaceship Hangar Office Hospital
  School Subway Graveyard Temple Cave Bridges`)

const packKinds = words('Pack Kit Collection Bundle Set Library')
const packPlaces = words(`
  Village Rocks Castle City Forest Dungeon Harbor Station Temple Canyon Meadow Factory Tavern Market Swamp Island Valley Fortress Ruins Roads
  Suburb Cathedral Mine Farm Desert Glacier Jungle Arena Palace Sewer Rooftops Warehouse`)

export const sounds = words('Open Close Creak Hit Break Drop Loop Drag Scrape Impact Ambience Step')
export const moves = words('Idle Walk Run Jump Attack Hit Death Turn Climb Crouch Swim Wave')

/** Three of them are a name that is nobody's: what makes a word rare. */
const syllables = words(`
  ba ce di fo gu ha ki lo mu ne po qua ri sa te vi wo xe yu za bra cre dro flo gri klo pra sta tri ven`)

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** The name of nobody: different for each of 27,000 numbers. */
export function properName(number: number): string {
  const at = (power: number): string => syllables[Math.floor(number / syllables.length ** power) % syllables.length] ?? ''
  return capital(`${at(0)}${at(1)}${at(2)}`)
}

/** `Rough Castle Kit`, `Royal Forest Pack Vol 3`: different for each number. */
export function packName(number: number): string {
  const first = adjectives[number % adjectives.length] ?? ''
  const place = packPlaces[(number * 7 + Math.floor(number / adjectives.length)) % packPlaces.length] ?? ''
  const kind = packKinds[(number * 5) % packKinds.length] ?? ''
  const volume = Math.floor(number / (adjectives.length * packPlaces.length)) + 1
  const round = Math.floor(number / adjectives.length) % packPlaces.length
  return `${first} ${place} ${kind}${round > 0 ? ` Vol ${round + 1}` : ''}${volume > 1 ? ` Edition ${volume}` : ''}`
}

const commonTags = words(`
  modular rocky tileable nanite lowpoly rough game-ready pbr hero wip approved-look outdoor indoor fantasy scifi medieval realistic stylized
  destructible animated foliage vegetation roman urban street kitbash background vista damaged clean mobile vr blocking placeholder legacy
  licensed scanned photogrammetry handpainted trim-sheet decal collision snow desert night winter autumn summer spring halloween christmas`)

/** Common tags first, then those that one project or person uses: `rusty-barrel`, `kiposa`. */
export function tagName(number: number): string {
  const own = number - commonTags.length
  if (own < 0) return commonTags[number] ?? ''
  if (own % 2 === 1) return properName(own).toLowerCase()
  return `${adjectives[own % adjectives.length]}-${nouns[(own * 11) % nouns.length]} ${own}`.toLowerCase()
}
