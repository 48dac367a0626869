//! Sequences of points that fill the unit cube evenly. The initial design is taken from one of them.

use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use sobol_burley::sample;

/// The Sobol' points that differ from each other in every dimension.
const SOBOL_POINTS: usize = 1 << 16;

/// The sequences, as study files call them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SequenceName {
    /// Sobol' points, scrambled as Owen does.
    #[default]
    Sobol,
    /// Latin hypercubes, one after the other, each as large as the design; the paper's choice.
    LatinHypercube,
}

/// A sequence of points in the unit cube, which the seed decides.
#[derive(Debug)]
pub(crate) struct Sequence {
    name: SequenceName,
    seed: u64,
    dim: usize,
    /// The points of a Latin hypercube.
    size: usize,
    /// The Latin hypercube that was drawn last, and which one it is.
    drawn: Option<(usize, Vec<Vec<f64>>)>,
}

impl Sequence {
    /// The sequence for a design of `size` points with `dim` coordinates.
    pub fn new(name: SequenceName, seed: u64, dim: usize, size: usize) -> Self {
        Self { name, seed, dim, size: size.max(1), drawn: None }
    }

    /// Point `i`, from 0.
    pub fn point(&mut self, i: usize) -> Vec<f64> {
        match self.name {
            SequenceName::Sobol => sobol(i, self.dim, (self.seed ^ (self.seed >> 32)) as u32),
            SequenceName::LatinHypercube => {
                let (which, place) = (i / self.size, i % self.size);
                if self.drawn.as_ref().is_none_or(|(drawn, _)| *drawn != which) {
                    self.drawn = Some((which, latin_hypercube(self.seed, which, self.dim, self.size)));
                }
                self.drawn.as_ref().map_or_else(Vec::new, |(_, points)| points[place].clone())
            }
        }
    }
}

/// Sobol' point `i`.
pub(crate) fn sobol(i: usize, dim: usize, scramble: u32) -> Vec<f64> {
    let coordinate = |dimension: usize| {
        // There are 256 dimensions in the sequence; later ones take scrambles of their own.
        let stride = u32::try_from(dimension / 256).unwrap_or(u32::MAX);
        f64::from(sample((i % SOBOL_POINTS) as u32, (dimension % 256) as u32, scramble.wrapping_add(stride)))
    };
    (0..dim).map(coordinate).collect()
}

/// Latin hypercube number `which`: in every coordinate each of `size` equal strata holds one point, anywhere in it.
fn latin_hypercube(seed: u64, which: usize, dim: usize, size: usize) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(which as u64);
    let mut points = vec![Vec::with_capacity(dim); size];
    for _ in 0..dim {
        let mut strata: Vec<usize> = (0..size).collect();
        strata.shuffle(&mut rng);
        for (point, stratum) in points.iter_mut().zip(strata) {
            point.push((stratum as f64 + rng.random::<f64>()) / size as f64);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stratum_of_every_coordinate_holds_one_point_of_a_latin_hypercube() {
        let (dim, size) = (3, 20);
        let mut sequence = Sequence::new(SequenceName::LatinHypercube, 7, dim, size);
        for which in 0..3 {
            let points: Vec<Vec<f64>> = (which * size..(which + 1) * size).map(|i| sequence.point(i)).collect();
            for j in 0..dim {
                let mut strata: Vec<usize> = points.iter().map(|point| (point[j] * size as f64) as usize).collect();
                strata.sort_unstable();
                assert_eq!(strata, (0..size).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_seed_decides_and_no_order_of_asking_does() {
        for name in [SequenceName::Sobol, SequenceName::LatinHypercube] {
            let points = |seed: u64, order: &[usize]| {
                let mut sequence = Sequence::new(name, seed, 2, 5);
                order.iter().map(|i| sequence.point(*i)).collect::<Vec<_>>()
            };
            let (there, mut back) = (points(1, &[0, 3, 7, 12]), points(1, &[12, 7, 3, 0]));
            back.reverse();
            assert_eq!(there, back);
            assert_ne!(there, points(2, &[0, 3, 7, 12]));
            assert!((1..4).all(|i| there[i] != there[i - 1]), "hypercubes differ from each other");
        }
    }
}
