//! A picture, as vectors and as pixels.

use anyhow::{Context as _, Result, anyhow};
use kuva::prelude::{PngBackend, SvgBackend};
use kuva::render::render::Scene;
use std::path::{Path, PathBuf};

/// A drawn picture, ready to be written.
#[derive(Debug)]
pub struct Picture {
    scene: Scene,
}

impl Picture {
    /// Pixels of the PNG for each pixel of the SVG.
    const PNG_SCALE: f32 = 3.0;

    pub(crate) fn new(scene: Scene) -> Self {
        Self { scene }
    }

    /// Writes `name.svg` and `name.png` into `folder`, which is made if need be, and returns their paths.
    pub fn save(&self, folder: &Path, name: &str) -> Result<Vec<PathBuf>> {
        let svg = SvgBackend::new().render_scene(&self.scene).into_bytes();
        let png = PngBackend::new().with_scale(Self::PNG_SCALE).render_scene(&self.scene);
        let png = png.map_err(|message| anyhow!(message)).with_context(|| format!("rasterising {name}"))?;
        std::fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
        let mut written = Vec::new();
        for (ending, bytes) in [("svg", svg), ("png", png)] {
            let path = folder.join(format!("{name}.{ending}"));
            std::fs::write(&path, bytes).with_context(|| format!("could not write {}", path.display()))?;
            written.push(path);
        }
        Ok(written)
    }
}
