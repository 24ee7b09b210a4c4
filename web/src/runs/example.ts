// A short source to begin with.
export const exampleSource = `# Photosynthesis

Photosynthesis is the process by which plants, algae and some bacteria convert light energy into chemical energy stored in sugar. An autotroph is an organism that makes its own food from simple inorganic substances. A heterotroph is an organism that must obtain its food from other organisms.

## The leaf

The epidermis is the outer layer of cells that covers both sides of the leaf. The cuticle is a waxy film that keeps water from evaporating. The mesophyll is the tissue between the upper and the lower epidermis. Stomata are tiny pores through which carbon dioxide enters the leaf and oxygen leaves it.

## The chloroplast

A chloroplast is an organelle in which photosynthesis takes place. The stroma is the dense fluid inside a chloroplast. A thylakoid is a disc-shaped sac whose membrane holds chlorophyll. Chlorophyll is a green pigment that absorbs red and blue light. A granum is a stack of thylakoids.
`;
