//! Bytes that are to go on a connection.

/// What several requests, one behind the other, still have to send.
#[derive(Clone, Debug, Default)]
pub struct SendBuffer {
    bytes: Vec<u8>,
    /// So many at the front have gone.
    gone: usize,
}

impl SendBuffer {
    /// What is left to send.
    #[inline]
    pub fn left(&self) -> &[u8] {
        &self.bytes[self.gone..]
    }

    /// Where more is appended. What is in it stays as it is.
    #[inline]
    pub fn end(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// The first `bytes` of [`SendBuffer::left`] have gone.
    #[inline]
    pub fn handed_over(&mut self, bytes: usize) {
        self.gone += bytes;
        // Moves no byte more than once for each one sent.
        if self.gone * 2 >= self.bytes.len() {
            self.bytes.drain(..self.gone);
            self.gone = 0;
        }
    }

    /// Nothing is left.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.gone = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_gone_is_gone_and_the_rest_keeps_its_order() {
        let mut buffer = SendBuffer::default();
        let mut sent = Vec::new();
        for round in 0..100_u8 {
            buffer.end().extend([round; 7]);
            let taken = usize::from(round) % 9;
            let taken = taken.min(buffer.left().len());
            sent.extend_from_slice(&buffer.left()[..taken]);
            buffer.handed_over(taken);
        }
        sent.extend_from_slice(buffer.left());
        assert_eq!(sent, (0..100).flat_map(|round| [round; 7]).collect::<Vec<u8>>());
        buffer.clear();
        assert!(buffer.left().is_empty());
    }
}
