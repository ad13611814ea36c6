//! The articles most similar to one, by the cosine of their weighted terms.

mod terms;

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use crate::model::Article;
use terms::terms;

/// The term vectors of all articles.
pub struct Vectors {
    by_article: Vec<(i64, Vector)>,
    places: HashMap<i64, usize>,
}

/// Terms by their numbers, and their weights, scaled to length 1. In the order of the numbers, so that the products of
/// two vectors are added in the same order each time, whichever of the two comes first.
type Vector = Vec<(usize, f64)>;

impl Vectors {
    /// Weighs the terms of each article: tf × ln(N / df).
    pub fn of(articles: &[Article]) -> Self {
        let mut numbers = HashMap::new();
        let counted: Vec<_> = articles
            .iter()
            .map(|article| count(article, &mut numbers))
            .collect();
        let mut documents = vec![0_u32; numbers.len()];
        for &number in counted.iter().flat_map(BTreeMap::keys) {
            documents[number] += 1;
        }
        let total = articles.len() as f64;
        let weight = |number: usize, count: u32| {
            f64::from(count) * (total / f64::from(documents[number])).ln()
        };

        let by_article: Vec<_> = articles
            .iter()
            .zip(counted)
            .map(|(article, counts)| {
                let weighed = counts.into_iter().map(|(n, count)| (n, weight(n, count)));
                (article.id, scaled(weighed.collect()))
            })
            .collect();
        let places = by_article.iter().enumerate();
        let places = places.map(|(place, &(id, _))| (id, place)).collect();
        Self { by_article, places }
    }

    /// The ids of the articles most similar to this one, most similar first, ties by lower id; none if there is no such
    /// article.
    pub fn most_similar(&self, id: i64, limit: usize) -> Option<Vec<i64>> {
        let wanted = *self.places.get(&id)?;
        let (_, own) = &self.by_article[wanted];
        let mut others: Vec<(f64, i64)> = self
            .by_article
            .iter()
            .filter(|(other, _)| *other != id)
            .map(|(other, vector)| (product(own, vector), *other))
            .collect();
        others.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        Some(others.into_iter().take(limit).map(|(_, id)| id).collect())
    }
}

/// How often each term occurs, by its number, with the weights of the fields. New terms get the next numbers.
fn count(article: &Article, numbers: &mut HashMap<String, usize>) -> BTreeMap<usize, u32> {
    let fields = [
        (&article.name, 10),
        (&article.description, 3),
        (&article.kind, 1),
        (&article.tags, 1),
    ];
    let mut counts = BTreeMap::new();
    for (text, weight) in fields {
        for term in terms(text) {
            let next = numbers.len();
            *counts
                .entry(*numbers.entry(term).or_insert(next))
                .or_insert(0) += weight;
        }
    }
    counts
}

fn scaled(mut vector: Vector) -> Vector {
    let length = product(&vector, &vector).sqrt();
    if length == 0.0 {
        return Vector::new(); // all its terms are in every article: nothing is similar to it
    }
    for (_, weight) in &mut vector {
        *weight /= length;
    }
    vector
}

/// The sum of the products of the weights of common terms.
fn product(one: &Vector, other: &Vector) -> f64 {
    let mut sum = 0.0;
    let (mut i, mut j) = (0, 0);
    while i < one.len() && j < other.len() {
        let ((term, weight), (other_term, other_weight)) = (one[i], other[j]);
        match term.cmp(&other_term) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => {
                sum += weight * other_weight;
                i += 1;
                j += 1;
            }
        }
    }
    sum
}
